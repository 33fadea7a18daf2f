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

/** A request that comes when a contact has the number. */
function ofContact(arrange: Arrange): OperationRow {
  const arranged = once(arrange);
  return row({
    about: 'self',
    request: async (world) => {
      const { next } = await arranged(world);
      const value = newPhoneNumber();
      await world.newContact({ phoneNumbers: [{ value }] });
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
      expectStatus(await world.product.call(operation, first), 200);
      return { path, body: { ...(first.body as object), CallStatus } };
    },
  });
}

const known = 'of a contact';

/** Of numbers that contacts have: the rows of these operations are of new ones. */
export const knownNumbers: readonly Variant[] = [
  { operation: 'receive-sms', of: known, row: ofContact(texts) },
  { operation: 'receive-call', of: known, row: ofContact(calls('ringing')) },
  { operation: 'receive-call', of: `${known}, missed`, row: ofContact(calls('no-answer')) },
  { operation: 'receive-call', of: 'that was answered', row: furtherReport('in-progress') },
  { operation: 'receive-call', of: 'that ends unanswered', row: furtherReport('no-answer') },
  { operation: 'receive-lead', of: known, row: ofContact(leads) },
  {
    operation: 'answer-inbound-call',
    of: 'of a contact',
    row: ofContact(byUser('answer-inbound-call', 'callerNumber')),
  },
  {
    operation: 'start-outbound-call',
    of: 'with a contact',
    row: ofContact(byUser('start-outbound-call', 'phoneNumber')),
  },
  {
    operation: 'record-missed-call',
    of: 'of a contact',
    row: ofContact(byUser('record-missed-call', 'callerNumber')),
  },
];
