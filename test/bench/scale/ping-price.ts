import ping from '../../../functions/live/ping.ts';
import { liveProduct } from '../../live/live-product.ts';
import { median, timed } from '../figures.ts';
import type { Setup } from '../setup.ts';
import { type PriceOfMillion, priceOfMillion, untouched } from './price-of-million.ts';
import { prices } from './prices.ts';
import { functionMemory, type Template } from './templates.ts';

/** As many as tell what one costs. */
const pings = 100;

/** The frame and its reply. */
const messages = 2;

/** A million frames that keep idle connections open, with their replies. */
export async function priceOfPings(made: readonly Template[], { tenants }: Setup): Promise<PriceOfMillion> {
  const live = await liveProduct(tenants.product);
  const { socketToken } = await tenants.product.newOrganization();
  const { id } = await live.connect(socketToken);
  const samples: number[] = [];
  for (let sent = 0; sent < pings; sent += 1) {
    samples.push((await timed(() => live.send(id, { action: ping.on }))).cpu);
  }
  const gateway = messages * prices.million.socketMessages;
  return priceOfMillion(untouched, median(samples), functionMemory(made, ping.summary), gateway);
}
