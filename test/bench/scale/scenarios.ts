import type { OperationCase } from '../../access/operations.ts';
import type { Call } from '../../harness/call.ts';
import { newPhoneNumber, type Tenants } from '../../harness/tenants.ts';
import { newSid, newWebhookClient } from '../../messages/webhook-client.ts';
import { type Limit, limitsAt, type Sample } from './load.ts';
import type { Recorder } from './recorder.ts';

/** A load that comes from many at the same time. */
export interface Scenario {
  readonly title: string;
  /** The rate of the load, in `unit`. */
  readonly rate: number;
  readonly unit: string;
  /** The needed share of each limit, the scarcest first. */
  limits(setup: ScenarioSetup): Promise<Limit[]>;
}

export interface ScenarioSetup {
  readonly tenants: Tenants;
  readonly recorder: Recorder;
  readonly cases: ReadonlyMap<string, OperationCase>;
}

/** Enough that every shard of a counter occurs. */
const calls = 200;

/** Records an operation repeatedly, each time with a new request. */
async function sampleOf(
  { tenants, recorder }: ScenarioSetup,
  name: string,
  next: () => Call | Promise<Call>,
): Promise<Sample> {
  const at = new Date();
  const uses = [];
  for (let call = 0; call < calls; call += 1) {
    const request = await next();
    recorder.take();
    const response = await tenants.product.call(name, { ...request, at });
    if (response.status >= 300) {
      throw new Error(`${name} returned ${response.status}: ${response.text.slice(0, 300)}`);
    }
    uses.push(...recorder.take());
  }
  return { calls, uses };
}

const leads: Scenario = {
  title: 'Leads of one organization, all of unknown numbers',
  rate: 1_000,
  unit: 'a second',
  async limits(setup) {
    const accessCase = setup.cases.get('receive-lead')?.accessCase;
    if (accessCase === undefined) {
      throw new Error('There is no operation receive-lead.');
    }
    const next = () => accessCase.request(setup.tenants, setup.tenants.rep);
    await next();
    return limitsAt(leads.rate, await sampleOf(setup, 'receive-lead', next));
  },
};

const texts: Scenario = {
  title: 'Texts to one number, all of unknown senders',
  rate: 250,
  unit: 'a second',
  async limits(setup) {
    const { product, admin, rep } = setup.tenants;
    const { phoneNumber } = await newWebhookClient(product, admin, rep);
    const next = () => ({
      path: { provider: 'smsprovider' },
      body: { MessageSid: newSid(), From: newPhoneNumber(), To: phoneNumber, Body: 'Hello', NumMedia: '0' },
    });
    return limitsAt(texts.rate, await sampleOf(setup, 'receive-sms', next));
  },
};

const creations: Scenario = {
  title: 'Contacts that one person creates',
  rate: 250,
  unit: 'a second',
  async limits(setup) {
    const { token } = setup.tenants.rep;
    const next = () => ({ token, body: { firstName: 'Ada', phoneNumbers: [{ value: newPhoneNumber() }] } });
    return limitsAt(creations.rate, await sampleOf(setup, 'create-contact', next));
  },
};

const boards: Scenario = {
  title: 'Boards of one organization, with all cached',
  rate: 1_000,
  unit: 'a second',
  async limits(setup) {
    const { token } = setup.tenants.admin;
    const next = () => ({ token, body: {} });
    await sampleOf(setup, 'list-contacts-by-stage', next);
    return limitsAt(boards.rate, await sampleOf(setup, 'list-contacts-by-stage', next));
  },
};

export const httpScenarios: readonly Scenario[] = [leads, texts, creations, boards];
