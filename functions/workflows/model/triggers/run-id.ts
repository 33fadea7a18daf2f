import { createHash } from 'node:crypto';
import { childId } from '../../../../shared/contacts/contact.ts';
import { idAt } from '../../../../shared/kernel/id-at.ts';
import type { Occurrence } from '../definition/topics.ts';

/** Source: Crockford's Base32, as in all ids. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Characters of an id that are not its time. */
const digestLength = 16;

/** Characters of an id before the contact's. */
const idLength = 26;

/**
 * The id of the run that a trigger starts at an occurrence: the same however often it is delivered, so that a second delivery of an event
 * meets the run of the first. It has the time of the event. The runs of a contact's deletion lie in a partition of their own: that of
 * the contact is emptied. The part before the contact's id is another one for each contact too, so that a cursor need not name it.
 */
export function runIdOf(
  { topic, eventId, contactId, at }: Occurrence,
  workflowId: string,
  nodeId: string,
): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([workflowId, nodeId, topic, eventId, contactId]))
    .digest();
  const letters = [...digest.subarray(0, digestLength)]
    .map((byte) => alphabet[byte % alphabet.length])
    .join('');
  const id = idAt(new Date(at), letters.padStart(idLength, '0'));
  return childId(topic === 'contact.deleted' ? `${contactId}-deleted` : contactId, id);
}
