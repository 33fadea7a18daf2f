import type { Timestamp } from '../kernel/time.ts';
import { contactSenders, primaryNumber, type StoredContact } from './contact.ts';
import { numberLockName } from './phone-numbers.ts';

/** Who said whether a contact wants text messages: the contact with a keyword, a user, or the provider by refusing a message. */
export const consentSources = ['keyword', 'user', 'provider'] as const;
export type ConsentSource = (typeof consentSources)[number];

/** Whether a number or other address wants text messages. */
export interface Consent {
  sms: 'in' | 'out';
  /** When that was last said. */
  since: Timestamp;
  source: ConsentSource;
  /** When it was last said again; absent if it was not. Not in responses. */
  repeatedAt?: Timestamp;
}

/**
 * The last statement for one of the contact's numbers or its other address; undefined until somebody states something. Records from
 * before consent belonged to numbers have one for all of them.
 */
export function statedConsent(
  { consents, consent }: StoredContact,
  address: string | undefined,
): Consent | undefined {
  const statement = address === undefined ? undefined : consents?.[numberLockName(address)];
  return statement ?? consent;
}

/**
 * The consent that was last stated for a number or other address of the contact: for the one that the contact is written to first, unless
 * another is named. Until somebody states one, it is `in` since the contact's creation. Source: decisions 10, "Consent".
 */
export function toConsent(
  contact: StoredContact,
  address: string | undefined = firstAddress(contact),
): Omit<Consent, 'repeatedAt'> {
  const stated = statedConsent(contact, address);
  if (stated === undefined) {
    return { sms: 'in', since: contact.createdAt, source: 'user' };
  }
  const { repeatedAt: _, ...shown } = stated;
  return shown;
}

/** The first number or other address that texts to the contact could go to. */
export function firstAddress({ phoneNumbers, sender }: StoredContact): string | undefined {
  return primaryNumber(phoneNumbers) ?? sender;
}

/** Whether text messages to this number or other address of the contact are refused; to its first one unless stated. */
export function hasOptedOut(contact: StoredContact, address?: string): boolean {
  return toConsent(contact, address).sms === 'out';
}

/** The contact with another consent of these numbers and addresses, all of its own. One without any has the consent itself. */
export function withConsent(
  contact: StoredContact,
  said: Consent,
  addresses: readonly string[] = contactSenders(contact),
): StoredContact {
  // The statement may have been kept and applied later.
  const isLate = said.since < contact.updatedAt;
  const updated = isLate ? contact : { ...contact, updatedAt: said.since };
  if (addresses.length === 0) {
    return { ...withoutConsent(updated), consent: said };
  }
  const names = addresses.map(numberLockName);
  return withConsents(updated, (address) =>
    names.includes(numberLockName(address)) ? said : statedConsent(contact, address),
  );
}

/**
 * Decides what counts after something was said that may have waited: what was known, if that is newer. If the same was said before, the first time
 * counts, and the last one is remembered for what may still come late.
 */
export function latestConsent(known: Consent | undefined, said: Consent): Consent {
  if (known === undefined) {
    return said;
  }
  const { sms, since, repeatedAt = since } = known;
  if (repeatedAt > said.since) {
    return known;
  }
  return sms === said.sms ? { ...known, repeatedAt: said.since } : said;
}

/** The contact after that was said about one of its numbers or addresses; the same one if that changes nothing. */
export function withStatedConsent(contact: StoredContact, address: string, said: Consent): StoredContact {
  const known = statedConsent(contact, address);
  const latest = latestConsent(known, said);
  if (latest === known) {
    return contact;
  }
  const stated = withConsent(contact, latest, [address]);
  return latest === said ? stated : { ...stated, updatedAt: contact.updatedAt };
}

/** The last statements for numbers and addresses that no contact had, by number or address. */
export type ReleasedConsents = ReadonlyMap<string, { readonly consent: Consent }>;

/**
 * A contact whose numbers may have changed, with what was stated for the numbers that it has: it keeps that of the former ones, and takes over
 * that of the `released` ones. Any other new number has said nothing; but what a user recorded for a contact without any is about those
 * that it gets first. `before` is undefined for a new contact.
 */
export function withConsentsOfNumbers(
  before: StoredContact | undefined,
  after: StoredContact,
  released: ReleasedConsents,
): StoredContact {
  const had = new Set(before && contactSenders(before).map(numberLockName));
  const has = new Set(contactSenders(after).map(numberLockName));
  if (had.size === has.size && has.isSubsetOf(had)) {
    return after;
  }
  return withConsents(after, (address) => {
    if (before !== undefined && had.has(numberLockName(address))) {
      return statedConsent(before, address);
    }
    const said = released.get(address)?.consent;
    const recorded = had.size === 0 ? statedConsent(after, address) : undefined;
    return recorded === undefined ? said : latestConsent(said, recorded);
  });
}

/** What was stated for the numbers of a contact that has everything of two: consent stays with each number. */
export function joinedConsents(
  one: StoredContact,
  other: StoredContact,
  joined: StoredContact,
): Pick<StoredContact, 'consents' | 'consent'> {
  const [ownNames, othersNames] = [one, other].map(
    (contact) => new Set(contactSenders(contact).map(numberLockName)),
  );
  const { consents } = withConsents(joined, (address) => {
    const name = numberLockName(address);
    const had = ownNames?.has(name) ? one : othersNames?.has(name) ? other : undefined;
    return had && statedConsent(had, address);
  });
  const consent = contactSenders(joined).length === 0 ? (one.consent ?? other.consent) : undefined;
  return { ...(consents && { consents }), ...(consent && { consent }) };
}

function withConsents(
  contact: StoredContact,
  consentFor: (address: string) => Consent | undefined,
): StoredContact {
  const entries = contactSenders(contact).flatMap((address) => {
    const consent = consentFor(address);
    return consent === undefined ? [] : [[numberLockName(address), consent] as const];
  });
  const without = withoutConsent(contact);
  return entries.length === 0 ? without : { ...without, consents: Object.fromEntries(entries) };
}

function withoutConsent(contact: StoredContact): StoredContact {
  const { consents: _, consent: __, ...rest } = contact;
  return rest;
}
