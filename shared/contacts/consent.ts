import type { Timestamp } from '../kernel/time.ts';
import type { StoredContact } from './contact.ts';

/** Who said whether a contact wants text messages: the contact with a keyword, a user, or the provider by refusing a message. */
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

/** The consent that was last stated; until somebody states one, a contact is `in` since its creation. */
export function consentOf({ consent, optedOutAt, createdAt }: StoredContact): Omit<Consent, 'repeatedAt'> {
  if (consent !== undefined) {
    const { repeatedAt: _, ...shown } = consent;
    return shown;
  }
  return optedOutAt === undefined
    ? { sms: 'in', since: createdAt, source: 'user' }
    : { sms: 'out', since: optedOutAt, source: 'keyword' };
}

/** Whether anybody has stated a consent. */
export function hasStatedConsent({ consent, optedOutAt }: StoredContact): boolean {
  return consent !== undefined || optedOutAt !== undefined;
}

/** Whether text messages to the contact are refused. */
export function hasOptedOut(contact: StoredContact): boolean {
  return consentOf(contact).sms === 'out';
}

/** The contact with another consent. */
export function withConsent({ optedOutAt: _, ...contact }: StoredContact, consent: Consent): StoredContact {
  // The statement may have been kept and applied later.
  const isLate = consent.since < contact.updatedAt;
  return { ...contact, consent, ...(isLate ? {} : { updatedAt: consent.since }) };
}
