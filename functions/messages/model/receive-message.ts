import {
  type Dossier,
  dossierByPhone,
  filedIn,
} from '../../../shared/contact-aggregate/contact-aggregate.ts';
import { filingSteps } from '../../../shared/contact-aggregate/contact-writes.ts';
import { entering } from '../../../shared/contact-aggregate/create-contact-writes.ts';
import { messageKey } from '../../../shared/conversations/conversation.ts';
import type { ClockAndIds } from '../../../shared/kernel/operation.ts';
import { eventStep } from '../../../shared/live/outbox.ts';
import type { NumberOwner } from '../../../shared/organizations/phone-assignment.ts';
import { userKey } from '../../../shared/organizations/user.ts';
import { entryStage } from '../../../shared/pipelines/entry-stage.ts';
import { withKnownPipelines } from '../../../shared/pipelines/known-pipelines.ts';
import { digestOf } from '../../../shared/table/digest.ts';
import { optimistically } from '../../../shared/table/optimistic.ts';
import type { Step, TableWriter } from '../../../shared/table/table.ts';
import { timestamp } from '../../../shared/time.ts';
import { type Arrival, arrived, contactOfSender, idsOf } from './inbound-message.ts';
import type { IncomingSms } from './incoming-sms.ts';
import { messageCreated } from './message-events.ts';
import type { ReceivedIds } from './queued-message.ts';
import { receivedMessageKey } from './queued-message.ts';

/**
 * Stores a message that came in to a number of the organization, with the contact and the conversation that it needs, in one
 * transaction. However often and however simultaneously its provider tells of it, it is stored once.
 * @returns the ids; those of the first time for a duplicate.
 * @throws a 404 `Failure` for an unknown sender while there is no Contact pipeline at all.
 */
export async function receive(
  table: TableWriter,
  number: NumberOwner,
  sms: IncomingSms,
  { now, newId, random }: ClockAndIds,
): Promise<ReceivedIds & { duplicate: boolean }> {
  const at = timestamp(now);
  const ids = { contact: newId(), conversation: newId(), message: newId() };
  // Ids of one moment sort at random; clients learn of a contact before its first message.
  const [contactEventId = '', messageEventId = ''] = [newId(), newId()].sort();
  const lock = receivedMessageKey(digestOf(JSON.stringify([number.provider, sms.sid])));

  async function store(arrival: Arrival, filing: readonly Step[]) {
    const { filed, conversation, message } = arrival;
    const otherwise = (earlier: ReceivedIds) => new ReceivedBefore(earlier);
    await table.commit([
      // First, since a duplicate fails for other reasons too.
      table.add(lock, idsOf(arrival), { otherwise }),
      ...filing,
      table.add(messageKey(message.contactId, message.conversationId, message._id), message),
      eventStep(table, messageCreated(filed.contact, conversation, message), messageEventId, now),
    ]);
    return { ...idsOf(arrival), duplicate: false };
  }

  function storeOfKnown(dossier: Dossier, owner: string | null) {
    const arrival = arrived(filedIn(dossier), owner, sms, ids, at);
    return store(arrival, filingSteps(table, dossier, arrival.filed));
  }

  const storeOfUnknown = (owner: string | null) =>
    withKnownPipelines(table, (pipelines) => {
      const { gate, ...place } = entryStage(pipelines);
      const contact = contactOfSender(ids.contact, number, owner, place, sms, at);
      const arrival = arrived({ contact, conversations: [], applications: [] }, owner, sms, ids, at);
      const { steps, event } = entering(table, arrival.filed, { gate }, pipelines);
      return store(arrival, [...steps, eventStep(table, event, contactEventId, now)]);
    });

  return optimistically(random, async () => {
    const [earlier, dossier, user] = await Promise.all([
      table.read(lock),
      dossierByPhone(table, sms.from),
      table.read(userKey(number.userId)),
    ]);
    if (earlier !== undefined) {
      return { ...earlier.data, duplicate: true };
    }
    // Nobody reads what belongs to somebody who cannot sign in any more.
    const owner = user === undefined || user.data.disabled ? null : number.userId;
    try {
      return await (dossier === undefined ? storeOfUnknown(owner) : storeOfKnown(dossier, owner));
    } catch (error) {
      if (error instanceof ReceivedBefore) {
        return { ...error.ids, duplicate: true };
      }
      throw error;
    }
  });
}

/** The same message was stored meanwhile. */
class ReceivedBefore extends Error {
  readonly ids: ReceivedIds;

  constructor(ids: ReceivedIds) {
    super('The message was received before');
    this.name = 'ReceivedBefore';
    this.ids = ids;
  }
}
