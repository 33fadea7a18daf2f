import { expect } from 'vitest';
import { newCallSid } from '../calls/reports.ts';
import type { Call } from '../harness/call.ts';
import type { Person } from '../harness/product.ts';
import type { tableStream } from '../harness/table-stream.ts';
import { arrange, newPhoneNumber, type Tenants } from '../harness/tenants.ts';
import { newSid } from '../messages/webhook-client.ts';
import { type FaultyTable, timedOut } from './faulty-table.ts';
import { type Canaries, prepareFillings } from './filled-contact.ts';
import { finishErasures } from './finish-erasures.ts';

/** Requests that are deferred because the table fails, contacts that they are about, and the schedule that erases what failed. */
export async function failedWorkIn(
  tenants: Tenants,
  stream: Awaited<ReturnType<typeof tableStream>>,
  faults: FaultyTable,
) {
  const { product, admin, rep } = tenants;
  const { webhook, newFilledContact } = await prepareFillings(tenants, stream);
  const { givenUp, queues } = product;
  const call = async (name: string, more: Call = {}, by: Person = rep) =>
    arrange(product.call(name, { token: by.token, ...more }));
  const { data: configuration } = await call(
    'create-outreach-configuration',
    { body: { name: 'Fair' } },
    admin,
  );

  /** A contact with nothing but a phone number. */
  async function newNumbered(): Promise<
    Pick<Canaries, 'number' | 'digits' | 'text'> & { contactId: string }
  > {
    const number = newPhoneNumber();
    const { _id: contactId } = await tenants.newContact({ phoneNumbers: [{ value: number }] });
    await stream.settle();
    return { contactId, number, digits: number.slice(1), text: `canary text ${number.slice(1)}` };
  }

  /** Runs the schedule that checks failed messages and batches every half hour; its figures. */
  const look = (at = new Date()) => finishErasures(product, at);

  const remove = async (contactId: string) => {
    await call('delete-contact', { path: { id: contactId } });
    await stream.settle();
  };

  /** The deferred requests of every webhook that defers them, about this number. */
  async function deferredAbout({ number, text }: Pick<Canaries, 'number' | 'text'>): Promise<string[]> {
    const [From, To] = [number, webhook.phoneNumber];
    for (const command of ['GetItemCommand', 'BatchGetItemCommand', 'QueryCommand'] as const) {
      faults.always(command, timedOut);
    }
    const body = { configurationId: configuration._id, phoneNumber: number, firstName: text, lastName: text };
    const provider = { path: { provider: 'twilio' } };
    const sms = { MessageSid: newSid(), MessageStatus: 'delivered', From: To, To: number };
    const missed = { CallSid: newCallSid(), From, To, CallStatus: 'no-answer' };
    const responses = [
      await webhook.text({ From, Body: text }),
      await product.call('receive-lead', { body }),
      await product.call('receive-call', { ...provider, body: missed }),
      await product.call('receive-status', { ...provider, body: sms }),
    ];
    faults.clear();
    expect(responses.map(({ status }) => status)).toEqual([202, 202, 202, 202]);
    return queues.deferredRequests.take().map((message) => message.body);
  }

  return {
    webhook,
    call,
    newFilledContact,
    newNumbered,
    look,
    remove,
    deferredAbout,
    /** Removes what a test has left behind. */
    clear() {
      queues.deferredRequests.take();
      givenUp.deadLetters.clear();
      givenUp.failedBatches.clear();
    },
  };
}
