import { contactEvent } from '../contacts/contact-events.ts';
import { type Dossier, dossierByPhone, filedIn } from '../contacts/dossier.ts';
import { type FilingOptions, filingSteps } from '../contacts/filing.ts';
import { messageCreated } from '../conversations/message-events.ts';
import type { Moment } from '../kernel/operation.ts';
import { eventStep } from '../live/outbox.ts';
import type { NumberOwner } from '../organizations/phone-assignment.ts';
import { withKnownPipelines } from '../pipelines/known-pipelines.ts';
import { stageMeant } from '../pipelines/stages.ts';
import { digestOf } from '../table/digest.ts';
import { keys } from '../table/keys.ts';
import { optimistically } from '../table/optimistic.ts';
import type { Step, TableWriter } from '../table/table.ts';
import { timestamp } from '../time.ts';
import { type Arrival, arrived, contactOfSender, idsOf } from './arrival.ts';
import type { IncomingSms } from './incoming-sms.ts';
import type { ReceivedIds } from './records.ts';

/**
 * Stores a message that came in to a number of the organization, with the contact and the conversation that it needs, in one
 * transaction. However often and however simultaneously its provider tells of it, it is stored once.
 * @returns the ids; those of the first time for a duplicate.
 * @throws a 404 `Failure` for an unknown sender while no Contact pipeline is active.
 */
export async function receive(
  table: TableWriter,
  number: NumberOwner,
  sms: IncomingSms,
  { now, newId, random }: Moment,
): Promise<ReceivedIds & { duplicate: boolean }> {
  const at = timestamp(now);
  const ids = { contact: newId(), conversation: newId(), message: newId() };
  // Ids of one moment sort at random; clients learn of a contact before its first message.
  const [contactEventId = '', messageEventId = ''] = [newId(), newId()].sort();
  const lock = keys.receivedMessage(digestOf(JSON.stringify([number.provider, sms.sid])));

  async function store(arrival: Arrival, dossier: Dossier | undefined, options: FilingOptions, also: Step[]) {
    const { filed, conversation, message } = arrival;
    const otherwise = (earlier: ReceivedIds) => new ReceivedBefore(earlier);
    await table.commit([
      // First, since a duplicate fails for other reasons too.
      table.add(lock, idsOf(arrival), { otherwise }),
      ...filingSteps(table, dossier, filed, options),
      table.add(keys.message(message.contactId, message.conversationId, message._id), message),
      ...also,
      eventStep(table, messageCreated(filed.contact, conversation, message), messageEventId, now),
    ]);
    return { ...idsOf(arrival), duplicate: false };
  }

  const storeOfKnown = (dossier: Dossier) =>
    store(arrived(filedIn(dossier), number, sms, ids, at), dossier, {}, []);

  const storeOfUnknown = () =>
    withKnownPipelines(table, async (pipelines) => {
      const { gate, ...place } = stageMeant(pipelines, 'Contact', {});
      const contact = contactOfSender(ids.contact, number, place, sms, at);
      const arrival = arrived({ contact, conversations: [], applications: [] }, number, sms, ids, at);
      const created = contactEvent('contact_created', arrival.filed.contact, pipelines);
      return store(arrival, undefined, { gate, phoneTaken: 'look again' }, [
        eventStep(table, created, contactEventId, now),
      ]);
    });

  return optimistically(random, async () => {
    const [earlier, dossier] = await Promise.all([table.read(lock), dossierByPhone(table, sms.from)]);
    if (earlier !== undefined) {
      return { ...earlier.data, duplicate: true };
    }
    try {
      return await (dossier === undefined ? storeOfUnknown() : storeOfKnown(dossier));
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
