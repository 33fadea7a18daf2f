import { nodeTypes } from '../../functions/workflows/model/definition/catalogue.ts';
import { after, day, timestamp } from '../../shared/kernel/time.ts';
import { arrange, type Tenants } from '../harness/tenants.ts';
import { newWorkflow } from '../workflows/client.ts';

/** A typical node of a type, and the contact that it needs. */
export interface NodeSample {
  readonly type: string;
  /** The name of its row in the report. */
  readonly name: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** The effect on the run. */
  readonly does: 'passes' | 'waits' | 'ends';
  /** Rows that count as its effect, apart from those of an operation: the next turn, the end of a wait, an awaited event, a request, the texts to a number. */
  readonly rows: number;
  /** Creates the contact that it needs, with its records. */
  contact(): Promise<SampleContact>;
}

export interface SampleContact {
  readonly contactId: string;
  /** Ids that the effect may name, in the same order for every contact. */
  readonly ids: readonly string[];
}

/** A sample of each type except triggers, which every run passes anyway. @throws an `Error` for a type without one. */
export async function nodeSamples(tenants: Tenants): Promise<NodeSample[]> {
  const { product, admin, head, rep } = tenants;
  const other = await newWorkflow(tenants, {
    enabled: true,
    nodes: [
      { id: 'trigger', type: 'trigger', position: { x: 0, y: 0 }, data: { event: 'manual.started' } },
      { id: 'note', type: 'addNote', position: { x: 0, y: 0 }, data: { note: 'Called' } },
    ],
    edges: [{ id: 'edge', source: 'trigger', target: 'note' }],
  });
  const plain = async (more: Record<string, unknown> = {}): Promise<SampleContact> => {
    const { _id } = await tenants.newContact({ firstName: 'Ada', tags: ['new'], ...more });
    return { contactId: _id, ids: [_id] };
  };
  const applicant = async (): Promise<SampleContact> => {
    const { contactId } = await plain();
    const body = { contactId, name: 'Credit' };
    const { data } = await arrange(product.call('create-application', { token: rep.token, body }));
    return { contactId, ids: [contactId, data._id] };
  };
  const writer = async (): Promise<SampleContact> => {
    const { contactId } = await plain();
    const body = { contactId, content: 'Hello' };
    const { data } = await arrange(product.call('send-message', { token: rep.token, body }));
    return { contactId, ids: [contactId, data.conversationId] };
  };
  const rule = { field: 'contact.firstName', operator: 'equals', value: 'Ada' };
  const inADay = { value: 1, unit: 'days' };
  const samples: Record<string, Pick<NodeSample, 'data'> & Partial<NodeSample>> = {
    addNote: { data: { note: 'Call {{firstName}} back' } },
    addTags: { data: { tags: ['greeted'] } },
    assign: { data: { userId: admin.userId } },
    condition: { data: { rules: [rule] } },
    createApplication: { data: { name: 'Credit' } },
    createReminder: { data: { note: 'Call back', in: inADay } },
    delay: { data: inADay, does: 'waits', rows: 1 },
    httpRequest: { data: { url: 'https://example.com' }, does: 'waits', rows: 2 },
    moveApplication: { data: { stage: 'In review' }, contact: applicant },
    moveStage: { data: { stage: 'Qualified' } },
    notifyUser: { data: { userId: rep.userId, message: 'Look at {{firstName}}' } },
    removeTags: { data: { tags: ['new'] } },
    resolveConversation: { data: {}, contact: writer },
    sendMessage: { data: { content: 'Hello {{firstName}}' }, contact: writer, rows: 1 },
    split: { data: { weights: { one: 1, another: 1 } } },
    startWorkflow: { data: { workflowId: other._id } },
    stop: { data: {}, does: 'ends' },
    stopOthers: { data: {} },
    switch: { data: { field: 'contact.firstName', cases: ['Ada', 'Grace'] } },
    updateContact: { data: { set: { source: 'Campaign' } } },
    waitForEvent: { data: { event: 'message.received', timeout: inADay }, does: 'waits', rows: 2 },
    waitUntil: { data: { at: timestamp(after(new Date(), day)) }, does: 'waits', rows: 1 },
  };
  const usual = { does: 'passes', rows: 0, contact: plain } as const;
  const inTurn = { roundRobin: [admin.userId, head.userId] };
  return nodeTypes
    .filter(({ type }) => type !== 'trigger')
    .flatMap(({ type }): NodeSample[] => {
      const sample = samples[type];
      if (sample === undefined) {
        throw new Error(`The type of nodes ${type} has no sample to measure.`);
      }
      const one = { ...usual, type, name: type, ...sample };
      return type === 'assign' ? [one, { ...one, name: 'assign, in turn', data: inTurn, rows: 1 }] : [one];
    });
}
