import { after, day, timestamp } from '../../shared/kernel/time.ts';
import { arrange, type Tenants } from '../harness/tenants.ts';
import { type GraphNode, inARow, type prepareRuns } from './advancing.ts';

type Runs = Awaited<ReturnType<typeof prepareRuns>>;

/** A node of a type, and what must be there for it to have its effect. */
export interface StepCase {
  readonly data: (tenants: Tenants, runs: Runs) => Promise<Record<string, unknown>> | Record<string, unknown>;
  readonly before?: (tenants: Tenants, runs: Runs, contactId: string) => Promise<unknown>;
}

const call = (tenants: Tenants, name: string, body: unknown, path = {}) =>
  arrange(tenants.product.call(name, { token: tenants.rep.token, body, path }));

const another = (runs: Runs) =>
  runs.newWorkflow(inARow([{ type: 'delay', data: { value: 3, unit: 'days' } }]));

const others = new WeakMap<Runs, ReturnType<typeof twoOthers>>();
const twoOthers = (runs: Runs) => Promise.all([another(runs), another(runs)]);

/** Two workflows for all contacts. */
function othersOf(runs: Runs) {
  const both = others.get(runs) ?? twoOthers(runs);
  others.set(runs, both);
  return both;
}

/** One for each type of node. */
export const stepCases: Readonly<Record<string, StepCase>> = {
  addNote: { data: ({ rep }) => ({ note: 'Call {{firstName}}', mentions: [rep.userId] }) },
  addTags: { data: () => ({ tags: ['new'] }) },
  assign: { data: ({ head }) => ({ roundRobin: [head.userId] }) },
  condition: { data: () => ({ rules: [{ field: 'contact.firstName', operator: 'equals', value: 'Ada' }] }) },
  createApplication: { data: () => ({ name: 'A flat' }) },
  createReminder: { data: () => ({ note: 'Call', in: { value: 1, unit: 'days' } }) },
  delay: { data: () => ({ value: 1, unit: 'days' }) },
  httpRequest: { data: () => ({ url: 'https://example.com' }) },
  moveApplication: {
    data: () => ({ stage: 'Approved' }),
    before: (tenants, _, contactId) => call(tenants, 'create-application', { contactId, name: 'A flat' }),
  },
  moveStage: { data: () => ({ stage: 'Won' }) },
  notifyUser: { data: ({ rep }) => ({ userId: rep.userId, message: 'Look' }) },
  removeTags: {
    data: () => ({ tags: ['old'] }),
    before: (tenants, _, id) => call(tenants, 'update-contact', { tags: ['old'] }, { id }),
  },
  resolveConversation: {
    data: () => ({}),
    before: (tenants, _, contactId) => call(tenants, 'send-message', { contactId, content: 'Hello' }),
  },
  sendMessage: { data: () => ({ content: 'Hello {{firstName}}' }) },
  split: { data: () => ({ weights: { a: 1, b: 1 } }) },
  startWorkflow: {
    data: async (_, runs) => ({ workflowId: (await another(runs))._id }),
  },
  stop: { data: () => ({}) },
  stopOthers: {
    data: () => ({}),
    before: async (_, runs, contactId) => {
      for (const workflow of await othersOf(runs)) {
        await runs.advance(await runs.start(workflow, contactId));
      }
    },
  },
  switch: { data: () => ({ field: 'contact.stage', cases: ['New'] }) },
  updateContact: { data: () => ({ set: { source: 'Web' } }) },
  waitForEvent: { data: () => ({ event: 'message.received', timeout: { value: 1, unit: 'days' } }) },
  waitUntil: { data: () => ({ at: timestamp(after(new Date(), day)) }) },
};

/** A node of this type for a new workflow. */
export async function nodeOfType(tenants: Tenants, runs: Runs, type: string): Promise<GraphNode> {
  const { data } = stepCases[type] ?? {};
  return { type, data: (await data?.(tenants, runs)) ?? {} };
}
