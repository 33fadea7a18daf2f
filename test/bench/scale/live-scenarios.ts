import { after, minute } from '../../../shared/kernel/time.ts';
import type { Person } from '../../harness/product.ts';
import { liveProduct, workflowToggled } from '../../live/live-product.ts';
import { limitsAt, type Sample, scarcestFirst, toLimit } from './load.ts';
import { quotas } from './quotas.ts';
import type { Use } from './recorder.ts';
import type { Scenario, ScenarioSetup } from './scenarios.ts';

/** Enough to know what one costs. */
const events = 40;

type LiveProduct = Awaited<ReturnType<typeof liveProduct>>;

/** Delivers each event in a batch of its own, as if many organizations shared the stream. */
async function deliverEvents(
  { recorder }: ScenarioSetup,
  live: LiveProduct,
  { organizationId }: Person,
): Promise<Sample & { posts: number }> {
  const before = live.sockets.posts;
  const uses: Use[] = [];
  for (let count = 0; count < events; count += 1) {
    const id = await live.happen(organizationId, workflowToggled);
    recorder.take();
    await live.deliver([id]);
    uses.push(...recorder.take());
  }
  return { calls: events, uses, posts: (live.sockets.posts - before) / events };
}

/** A scenario of events in organizations with so many sockets each. */
function delivering(
  title: string,
  rate: number,
  { organizations, sockets }: { organizations: number; sockets: number },
): Scenario {
  return {
    title,
    rate,
    unit: 'events a second',
    async limits(setup) {
      const live = await liveProduct(setup.tenants.product);
      const owner = await setup.tenants.product.newOrganization();
      await connectOften(live, owner, sockets);
      const sample = await deliverEvents(setup, live, owner);
      return scarcestFirst([
        ...limitsAt(rate, sample, { organizations }),
        toLimit(quotas.gatewayRequests, rate * sample.posts),
      ]);
    },
  };
}

const deliveries: readonly Scenario[] = [
  delivering('Events of 500 organizations with nobody online', 5_000, { organizations: 500, sockets: 0 }),
  delivering('Events of 500 organizations, each with 10 sockets', 5_000, { organizations: 500, sockets: 10 }),
  delivering(
    '100,000 sockets of 1,000 organizations, in each of which something happens every 10 seconds',
    100,
    { organizations: 1_000, sockets: 100 },
  ),
];

/** 100,000 within a minute. */
const reconnection: Scenario = {
  title: '100,000 sockets of 1,000 organizations that connect and resume within a minute',
  rate: 1_667,
  unit: 'sockets a second',
  async limits(setup) {
    const live = await liveProduct(setup.tenants.product);
    const owner = await setup.tenants.product.newOrganization();
    const since = await live.happen(owner.organizationId, workflowToggled);
    const uses: Use[] = [];
    setup.recorder.take();
    for (let count = 0; count < events; count += 1) {
      const { id } = await live.connect(owner.socketToken);
      await live.send(id, { action: 'resume', since });
      uses.push(...setup.recorder.take());
    }
    return scarcestFirst([
      ...limitsAt(reconnection.rate, { calls: events, uses }, { organizations: 1_000 }),
      toLimit(quotas.newConnections, reconnection.rate),
      // The frame that resumes, and its response.
      toLimit(quotas.gatewayRequests, reconnection.rate * 2),
    ]);
  },
};

async function connectOften(live: LiveProduct, { socketToken }: Person, count: number): Promise<void> {
  // Opened well before the events: newer sockets cost more reads.
  const at = after(new Date(), -minute);
  for (let opened = 0; opened < count; opened += 1) {
    const { status } = await live.connect(socketToken, at);
    if (status !== 200) {
      throw new Error(`A handshake returned ${status}.`);
    }
  }
}

export const liveScenarios: readonly Scenario[] = [...deliveries, reconnection];
