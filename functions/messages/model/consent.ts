import type { StoredContact } from '../../../shared/contacts/contact.ts';
import type { Timestamp } from '../../../shared/kernel/time.ts';

/** Messages that opt a contact out of text messages, or back in. Source: decisions 10, "Opt-out". */
const outWords = new Set(['STOP', 'STOPALL', 'UNSUBSCRIBE', 'CANCEL', 'END', 'QUIT', 'REVOKE', 'OPTOUT']);
const inWords = new Set(['START', 'UNSTOP', 'YES']);

/**
 * The contact after this message, which may have waited and be older than others: whoever has opted out since stays out. The date is
 * that of the newest opt-out.
 */
export function consenting(contact: StoredContact, content: string, at: Timestamp): StoredContact {
  const word = content.trim().toUpperCase();
  const { optedOutAt, ...others } = contact;
  const isNewer = optedOutAt === undefined || optedOutAt <= at;
  if (outWords.has(word) && isNewer) {
    return { ...contact, optedOutAt: at };
  }
  return inWords.has(word) && isNewer ? others : contact;
}
