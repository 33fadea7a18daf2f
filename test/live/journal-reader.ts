import type { NewEvent } from '../../shared/events/outbox.ts';
import { hour, after as plus, second, timestamp } from '../../shared/kernel/time.ts';
import type { Person } from '../harness/product.ts';
import { expectStatus } from '../harness/tenants.ts';
import { setUpLiveProduct } from './fixtures.ts';
import { workflowToggled } from './live-product.ts';

/** The longest time between the beginning of an invocation and the last that it writes. */
export const longestWork = 30 * second;
/** How long after it happened an event appears. */
export const delay = longestWork + second;

export interface Page {
  readonly data: { readonly id: string; readonly event: string }[];
  readonly nextAfter: string;
  readonly hasMore: boolean;
}

type Reader = Pick<Person, 'token'>;

export const idsIn = ({ data }: Pick<Page, 'data'>) => data.map(({ id }) => id);

export const forPeople = (...people: string[]): NewEvent => ({
  ...workflowToggled,
  audience: { kind: 'record', people },
});

/** The product with its events, and how a person reads the journal at one time, unless a test says another. */
export async function setUpJournal() {
  const live = await setUpLiveProduct();
  const { product } = live;
  const now = new Date();

  const read = (person: Reader, query: Record<string, string> = {}, at = now) =>
    product.call('list-events', { token: person.token, query, at });

  const pageOf = async (person: Reader, query: Record<string, string> = {}, at = now) =>
    expectStatus(await read(person, query, at), 200) as Page;

  /** All pages from a place on, as long as there are more. */
  async function readOn(person: Reader, query: Record<string, string>, at = now): Promise<Page> {
    const page = await pageOf(person, query, at);
    if (!page.hasMore) {
      return page;
    }
    const { since: _, ...same } = query;
    const rest = await readOn(person, { ...same, after: page.nextAfter }, at);
    return { ...rest, data: [...page.data, ...rest.data] };
  }

  const hoursAgo = (hours: number) => ({ since: timestamp(plus(now, -hours * hour)) });

  return { live, product, now, read, pageOf, readOn, hoursAgo };
}
