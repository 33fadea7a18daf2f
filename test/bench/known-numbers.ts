import { newCallSid } from '../calls/reports.ts';
import type { Call } from '../harness/call.ts';
import { expectStatus, newPhoneNumber, type OperationRow, row, type World } from '../harness/world.ts';
import { newSid, newWebhookClient } from '../messages/webhook-client.ts';
import receiveLead from '../operations/receive-lead.ts';

/** Another request to an operation than the one of its row. */
export interface Variant {
  readonly operation: string;
  /** What is special about it; with the operation's name, it names the measurement. */
  readonly of: string;
  readonly row: OperationRow;
}

interface ByNumber {
  readonly operation: string;
  /** A request about the number; each is about something new. */
  next(number: string): Call;
}

const path = { provider: 'twilio' };

async function texts({ product, admin, rep }: World): Promise<ByNumber> {
  const { phoneNumber: To } = await newWebhookClient(product, admin, rep);
  const next = (From: string) => ({ path, body: { MessageSid: newSid(), From, To, Body: 'Hello' } });
  return { operation: 'receive-sms', next };
}

const calls =
  (CallStatus: string) =>
  async ({ product, admin, rep }: World): Promise<ByNumber> => {
    const { phoneNumber: To } = await newWebhookClient(product, admin, rep);
    const fields = () => ({ CallSid: newCallSid(), To, Direction: 'inbound', CallStatus });
    return { operation: 'receive-call', next: (From) => ({ path, body: { ...fields(), From } }) };
  };

async function leads(world: World): Promise<ByNumber> {
  const { body } = await receiveLead.request(world, world.rep);
  // Each tells something new: the others are only counted.
  const next = (phoneNumber: string) => ({
    body: { ...(body as object), phoneNumber, customData: { page: newSid() } },
  });
  return { operation: 'receive-lead', next };
}

const byUser = (operation: string, field: string) => async (): Promise<ByNumber> => ({
  operation,
  next: (number) => ({ body: { [field]: number } }),
});

type Arrange = (world: World) => Promise<ByNumber>;

/** Arranges once: a user has only so many numbers. */
function once(arrange: Arrange): Arrange {
  let arranged: Promise<ByNumber> | undefined;
  return (world) => {
    arranged ??= arrange(world);
    return arranged;
  };
}

/** A request that comes when the contact has the number, after as many others of the same kind. */
function afterOthers(arrange: Arrange, others: number): OperationRow {
  const arranged = once(arrange);
  return row({
    about: 'self',
    request: async (world) => {
      const { operation, next } = await arranged(world);
      const value = newPhoneNumber();
      await world.newContact({ phoneNumbers: [{ value }] });
      const { token } = world.rep;
      for (let other = 0; other < others; other += 1) {
        await accepted(world, operation, { token, ...next(value) });
      }
      return next(value);
    },
  });
}

/** A further report of a call. */
function furtherReport(CallStatus: string): OperationRow {
  const arranged = once(calls('ringing'));
  return row({
    about: 'self',
    request: async (world) => {
      const { operation, next } = await arranged(world);
      const first = next(newPhoneNumber());
      await accepted(world, operation, first);
      return { path, body: { ...(first.body as object), CallStatus } };
    },
  });
}

async function accepted({ product }: World, operation: string, call: Call): Promise<void> {
  const response = await product.call(operation, call);
  expectStatus(response, response.status < 300 ? response.status : 200);
}

const first = 'of a contact who never came this way';
const again = 'of a contact who came this way before';

/** Of numbers that contacts have: the rows of these operations are of new ones. */
export const knownNumbers: readonly Variant[] = [
  { operation: 'receive-sms', of: again, row: afterOthers(texts, 1) },
  { operation: 'receive-sms', of: first, row: afterOthers(texts, 0) },
  { operation: 'receive-call', of: again, row: afterOthers(calls('ringing'), 1) },
  { operation: 'receive-call', of: first, row: afterOthers(calls('ringing'), 0) },
  { operation: 'receive-call', of: `${again}, missed`, row: afterOthers(calls('no-answer'), 1) },
  { operation: 'receive-call', of: 'that was answered', row: furtherReport('in-progress') },
  { operation: 'receive-call', of: 'that ends unanswered', row: furtherReport('no-answer') },
  { operation: 'receive-lead', of: again, row: afterOthers(leads, 1) },
  { operation: 'receive-lead', of: first, row: afterOthers(leads, 0) },
  {
    operation: 'answer-inbound-call',
    of: 'of a contact',
    row: afterOthers(byUser('answer-inbound-call', 'callerNumber'), 0),
  },
  {
    operation: 'start-outbound-call',
    of: 'with a contact',
    row: afterOthers(byUser('start-outbound-call', 'phoneNumber'), 0),
  },
  {
    operation: 'record-missed-call',
    of: 'of a contact',
    row: afterOthers(byUser('record-missed-call', 'callerNumber'), 0),
  },
];
