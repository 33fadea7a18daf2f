import { type Consent, consentOf, hasStatedConsent, withConsent } from '../../../shared/contacts/consent.ts';
import type { StoredContact } from '../../../shared/contacts/contact.ts';
import type { Timestamp } from '../../../shared/kernel/time.ts';

/** Messages that opt a contact out of text messages, or back in. Source: decisions 10, "Opt-out". */
const outWords = new Set(['STOP', 'STOPALL', 'UNSUBSCRIBE', 'CANCEL', 'END', 'QUIT', 'REVOKE', 'OPTOUT']);
const inWords = new Set(['START', 'UNSTOP', 'YES']);
const helpWords = new Set(['HELP', 'INFO']);

const wordOf = (content: string) => content.trim().toUpperCase();

/** Whether a message says whether its sender wants text messages. */
export function isConsentKeyword(content: string): boolean {
  const word = wordOf(content);
  return outWords.has(word) || inWords.has(word);
}

/** Whether a message asks for the help message of the organization. */
export function isHelpKeyword(content: string): boolean {
  return helpWords.has(wordOf(content));
}

/** The contact after this message. */
export function withKeywordConsent(contact: StoredContact, content: string, at: Timestamp): StoredContact {
  if (!isConsentKeyword(content)) {
    return contact;
  }
  const sms = outWords.has(wordOf(content)) ? 'out' : 'in';
  return withStatedConsent(contact, { sms, since: at, source: 'keyword' });
}

/**
 * The contact after something was said, which may have waited: it changes nothing if something newer was said. If the same was said
 * before, the first time counts, and the last one is remembered for what may still come late.
 */
export function withStatedConsent(contact: StoredContact, said: Consent): StoredContact {
  if (!hasStatedConsent(contact)) {
    return withConsent(contact, said);
  }
  const known = consentOf(contact);
  const { since, repeatedAt = since }: Consent = contact.consent ?? known;
  if (repeatedAt > said.since) {
    return contact;
  }
  return known.sms === said.sms
    ? { ...contact, consent: { ...known, repeatedAt: said.since } }
    : withConsent(contact, said);
}
