import type { StoredContact } from '../../../shared/contacts/contact.ts';
import type { Timestamp } from '../../../shared/kernel/time.ts';

/** Messages that opt a contact out of text messages, or back in. Source: decisions 10, "Opt-out". */
const outWords = new Set(['STOP', 'STOPALL', 'UNSUBSCRIBE', 'CANCEL', 'END', 'QUIT', 'REVOKE', 'OPTOUT']);
const inWords = new Set(['START', 'UNSTOP', 'YES']);

/** The contact after this message. A repeated opt-out keeps the date of the first one. */
export function consenting(contact: StoredContact, content: string, at: Timestamp): StoredContact {
  const word = content.trim().toUpperCase();
  if (outWords.has(word)) {
    return { ...contact, optedOutAt: contact.optedOutAt ?? at };
  }
  if (inWords.has(word)) {
    const { optedOutAt: _, ...others } = contact;
    return others;
  }
  return contact;
}
