import authorize from '../../../functions/auth/authorize.ts';
import logEvents from '../../../functions/event-logs/log-events.ts';
import deliverEvents from '../../../functions/live/deliver-events.ts';
import postEvents from '../../../functions/webhook-endpoints/post-events.ts';
import advanceWorkflowRun from '../../../functions/workflows/advance-workflow-run.ts';
import { eventAction, eventKeyFor } from '../../../shared/events/outbox.ts';
import type { WebhookJob } from '../../../shared/events/webhook-delivery.ts';
import { after, minute } from '../../../shared/kernel/time.ts';
import { newApiKey } from '../../api-keys/keys.ts';
import { clockClient } from '../../harness/clock.ts';
import type { Person, Product } from '../../harness/product.ts';
import { newPhoneNumber } from '../../harness/tenants.ts';
import { workflowToggled } from '../../live/live-product.ts';
import { recordingSockets } from '../../live/recording-sockets.ts';
import { newEndpoint } from '../../webhook-endpoints/endpoints.ts';
import { measureOften, measureRun, type Used, used } from './measure-run.ts';
import { type PriceOfMillion, priceOfMillion } from './price-of-million.ts';
import { prices, tableAnswer, usualMemory } from './prices.ts';

/** Milliseconds in which a receiver answers: an assumption. */
const receiverAnswer = 100;

/** A message is sent, received and deleted. */
const message = 3 * prices.million.orderedQueueRequests;

const priced = (one: Used, gateway: number) => priceOfMillion(one, one.cpu, usualMemory, gateway);

/** What events cost beside their causes, each alone in its batch or its job. */
export async function eventPrices(product: Product): Promise<Record<string, PriceOfMillion>> {
  const admin = await product.newOrganization();
  const { log, deliver, post, queueAgain } = eventSteps(product, admin);
  const logged = await measureOften(log);
  const toNobody = await measureOften(deliver);
  await newEndpoint(product, admin);
  const toEndpoint = await measureOften(deliver);
  const posted = await measureOften(() => post(200));
  const failed = await measureOften(() => post(500));
  const again = await measureOften(queueAgain);
  const delivery = used((figure) => toEndpoint[figure] - toNobody[figure] + posted[figure]);
  const attempt = used((figure) => failed[figure] + again[figure]);
  return {
    'event, its entry in the log': priced(logged, 0),
    'event, for sockets and endpoints where there are none': priced(toNobody, message),
    'delivery to a webhook endpoint': priced(delivery, message),
    // Two messages: one makes it due at its second, the other one posts it.
    'further attempt of a delivery': priced(attempt, 2 * message + prices.million.functionRequests),
  };
}

/** What an API key costs; `creation` is the processor time of a request that creates a contact. */
export async function keyPrices(product: Product, creation: number): Promise<Record<string, PriceOfMillion>> {
  const { key: token } = await newApiKey(product, await product.newOrganization());
  const authorization = `Bearer ${token}`;
  const check = () => measureRun(authorize, { authorization }, product.authorizerProviders);
  const create = async (): Promise<Used> => {
    const body = { firstName: 'Ada', phoneNumbers: [{ value: newPhoneNumber() }] };
    const { consumed } = await product.call('create-contact', { token, body });
    if (consumed === undefined) {
      throw new Error('The API key created no contact.');
    }
    return { ...consumed, cpu: creation };
  };
  return {
    'create-contact by an API key': priced(await measureOften(create), prices.million.httpRequests),
    'API key, checked, then remembered for 5 minutes': priced(await measureOften(check), 0),
  };
}

/** What happens to an event of the organization of `admin`, each time to a new one. */
function eventSteps(product: Product, { organizationId }: Person) {
  const { table, moment } = product.tableOf(organizationId);
  const { liveEvents, webhookPosts, workflowRuns } = product.queues;
  const { waitingUntil } = clockClient(product);
  const sockets = recordingSockets();
  const providers = { ...product.providers, sockets: () => sockets, queue: () => liveEvents };

  async function happen(): Promise<string> {
    const id = moment.newId();
    await table.commit([eventAction(table, workflowToggled, id, new Date())]);
    return id;
  }

  const deliver = async () =>
    measureRun(deliverEvents, { kind: 'events', organizationId, eventIds: [await happen()] }, providers);

  async function postNew(status: number) {
    webhookPosts.take();
    await deliver();
    const job = JSON.parse(webhookPosts.take()[0]?.body ?? '') as WebhookJob;
    const post = async () => ({ status, response: '', milliseconds: receiverAnswer });
    const run = await measureRun(postEvents, job, { ...providers, outgoingPosts: () => ({ post }) });
    // The function waits for the receiver as it does for the table.
    return { job, run: { ...run, roundTrips: run.roundTrips + receiverAnswer / tableAnswer } };
  }

  return {
    async log(): Promise<Used> {
      const event = await table.read(eventKeyFor(await happen()));
      return measureRun(
        logEvents,
        [{ partition: `ORG#${organizationId}`, data: event?.data }],
        product.providers,
      );
    },
    deliver,
    post: async (status: number) => (await postNew(status)).run,
    /** Queues a delivery that failed when it is due again. */
    async queueAgain(): Promise<Used> {
      const { job } = await postNew(500);
      const all = await waitingUntil(after(new Date(), minute));
      const due = all.find(({ eventIds }) => eventIds?.[0] === job.eventIds[0]);
      if (due === undefined) {
        throw new Error('The delivery is not due again.');
      }
      const own = { objects: await product.objects.provider('plans'), queue: () => workflowRuns };
      return measureRun(advanceWorkflowRun, { due }, { ...product.providers, ...own }, new Date(due.at));
    },
  };
}
