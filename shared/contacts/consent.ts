import type { Timestamp } from '../kernel/time.ts';
import type { StoredContact } from './contact.ts';

/** Who said that a contact wants text messages, or does not: the contact with a word, a user, or the provider by refusing one. */
export const consentSources = ['keyword', 'user', 'provider'] as const;
export type ConsentSource = (typeof consentSources)[number];

/** Whether a contact wants text messages. */
export interface Consent {
  sms: 'in' | 'out';
  /** When that was last said. */
  since: Timestamp;
  source: ConsentSource;
  /** When it was last said again; absent if it was not. Not in responses. */
  repeatedAt?: Timestamp;
}

/** What was last said; until somebody says something, a contact is in since it was created. */
export function consentOf({ consent, optedOutAt, createdAt }: StoredContact): Omit<Consent, 'repeatedAt'> {
  if (consent !== undefined) {
    const { repeatedAt: _, ...shown } = consent;
    return shown;
  }
  return optedOutAt === undefined
    ? { sms: 'in', since: createdAt, source: 'user' }
    : { sms: 'out', since: optedOutAt, source: 'keyword' };
}

/** Whether anybody has said anything. */
export function hasStatedConsent({ consent, optedOutAt }: StoredContact): boolean {
  return consent !== undefined || optedOutAt !== undefined;
}

/** Whether text messages to the contact are refused. */
export function hasOptedOut(contact: StoredContact): boolean {
  return consentOf(contact).sms === 'out';
}

/** The contact with another consent. */
export function withConsent({ optedOutAt: _, ...contact }: StoredContact, consent: Consent): StoredContact {
  // What was said may have had to wait.
  const isLate = consent.since < contact.updatedAt;
  return { ...contact, consent, ...(isLate ? {} : { updatedAt: consent.since }) };
}
