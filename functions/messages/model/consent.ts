import { consentOf, withConsent } from '../../../shared/contacts/consent.ts';
import type { StoredContact } from '../../../shared/contacts/contact.ts';
import type { Timestamp } from '../../../shared/kernel/time.ts';

/** Messages that opt a contact out of text messages, or back in. Source: decisions 10, "Opt-out". */
const outWords = new Set(['STOP', 'STOPALL', 'UNSUBSCRIBE', 'CANCEL', 'END', 'QUIT', 'REVOKE', 'OPTOUT']);
const inWords = new Set(['START', 'UNSTOP', 'YES']);
const helpWords = new Set(['HELP', 'INFO']);

const wordOf = (content: string) => content.trim().toUpperCase();

/** Whether a message says whether its sender wants text messages. */
export function saysConsent(content: string): boolean {
  const word = wordOf(content);
  return outWords.has(word) || inWords.has(word);
}

/** Whether a message asks for the help message of the organization. */
export function asksForHelp(content: string): boolean {
  return helpWords.has(wordOf(content));
}

/** The contact after this message, which may have waited: it changes nothing if something newer was said. */
export function consenting(contact: StoredContact, content: string, at: Timestamp): StoredContact {
  const saidSomething = contact.consent !== undefined || contact.optedOutAt !== undefined;
  if (!saysConsent(content) || (saidSomething && consentOf(contact).since > at)) {
    return contact;
  }
  const sms = outWords.has(wordOf(content)) ? 'out' : 'in';
  return withConsent(contact, { sms, since: at, source: 'keyword' });
}
