import {
  aggregateByPhone,
  type ContactAggregate,
  stateOf,
} from '../../../shared/contact-aggregate/contact-aggregate.ts';
import { contactWrites } from '../../../shared/contact-aggregate/contact-writes.ts';
import { createContactWrites } from '../../../shared/contact-aggregate/create-contact-writes.ts';
import { messageKey } from '../../../shared/conversations/conversation.ts';
import type { ClockAndIds } from '../../../shared/kernel/operation.ts';
import { eventStep } from '../../../shared/live/outbox.ts';
import type { NumberOwner } from '../../../shared/organizations/phone-assignment.ts';
import { userKey } from '../../../shared/organizations/user.ts';
import { entryStage } from '../../../shared/pipelines/entry-stage.ts';
import { withKnownPipelines } from '../../../shared/pipelines/known-pipelines.ts';
import { digestOf } from '../../../shared/table/digest.ts';
import type { Step, TableWriter } from '../../../shared/table/table.ts';
import { timestamp } from '../../../shared/time.ts';
import { contactOfSender, type InboundMessage, idsOf, inboundMessage } from './inbound-message.ts';
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
export async function receiveMessage(
  table: TableWriter,
  number: NumberOwner,
  sms: IncomingSms,
  { now, newId }: ClockAndIds,
): Promise<ReceivedIds & { duplicate: boolean }> {
  const at = timestamp(now);
  const ids = { contact: newId(), conversation: newId(), message: newId() };
  // Ids of one moment sort at random; clients learn of a contact before its first message.
  const [contactEventId = '', messageEventId = ''] = [newId(), newId()].sort();
  const lock = receivedMessageKey(digestOf(JSON.stringify([number.provider, sms.sid])));

  async function store(inbound: InboundMessage, contactSteps: readonly Step[]) {
    const { state, conversation, message } = inbound;
    const otherwise = (earlier: ReceivedIds) => new ReceivedBefore(earlier);
    await table.commit([
      // First, since a duplicate fails for other reasons too.
      table.add(lock, idsOf(inbound), { otherwise }),
      ...contactSteps,
      table.add(messageKey(message.contactId, message.conversationId, message._id), message),
      eventStep(table, messageCreated(state.contact, conversation, message), messageEventId, now),
    ]);
    return { ...idsOf(inbound), duplicate: false };
  }

  function storeOfKnown(aggregate: ContactAggregate, owner: string | null) {
    const inbound = inboundMessage(stateOf(aggregate), owner, sms, ids, at);
    return store(inbound, contactWrites(table, aggregate, inbound.state));
  }

  const storeOfUnknown = (owner: string | null) =>
    withKnownPipelines(table, (pipelines) => {
      const { guard, ...place } = entryStage(pipelines);
      const contact = contactOfSender(ids.contact, number, owner, place, sms, at);
      const inbound = inboundMessage({ contact, conversations: [], applications: [] }, owner, sms, ids, at);
      const { steps, event } = createContactWrites(table, inbound.state, { guard }, pipelines);
      return store(inbound, [...steps, eventStep(table, event, contactEventId, now)]);
    });

  return table.optimistically(async () => {
    const [earlier, aggregate, user] = await Promise.all([
      table.read(lock),
      aggregateByPhone(table, sms.from),
      table.read(userKey(number.userId)),
    ]);
    if (earlier !== undefined) {
      return { ...earlier.data, duplicate: true };
    }
    // Nobody reads what belongs to somebody who cannot sign in any more.
    const owner = user === undefined || user.data.disabled ? null : number.userId;
    try {
      return await (aggregate === undefined ? storeOfUnknown(owner) : storeOfKnown(aggregate, owner));
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
