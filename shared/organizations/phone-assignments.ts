import { sameNumberForm } from '../kernel/names/same-numbers.ts';
import type { SecretLocation, SecretOpener, StoredSecret } from '../kernel/secrets/sealed-secrets.ts';
import { after, day, type Timestamp, timestamp } from '../kernel/time.ts';
import type { IdentityKey, Key, Range } from '../table/key.ts';
import type { TableReader } from '../table/table.ts';

/**
 * Whether a number waits for a SUPERADMIN's approval. Until then it is as if nobody had it: nothing leaves from it, and nothing
 * that comes for it reaches the organization.
 */
export const numberStatuses = ['pending', 'active'] as const;
export type NumberStatus = (typeof numberStatuses)[number];

/** A phone number that a user calls and writes from. */
export interface PhoneAssignment {
  /** The name of the number's provider. */
  provider: string;
  /** E.164. */
  phoneNumber: string;
  /** Whether it is the number of the user's calls and outbound messages, once it is active; at most one for each user. */
  isDefault: boolean;
  /** Whether inbound calls to the number ring for the user. */
  isInboundEnabled: boolean;
  label: string;
  status: NumberStatus;
}

/** All numbers of a user, in the order of their assignment. In one record, whose version alone keeps the default unique. */
export interface UserNumbers {
  userId: string;
  numbers: PhoneAssignment[];
}

/** The owner of an active number, stored under the number as its lock on the whole platform. */
export interface NumberOwner {
  organizationId: string;
  userId: string;
  provider: string;
  /** Signs the provider's webhook calls; absent if these are not signed. Never in a response, never logged. */
  secret?: StoredSecret;
}

export const userNumbersKey = (userId: string): Key<UserNumbers> => ({
  partition: [],
  sort: ['NUMBERS', userId],
});

export const userNumbersRange = (): Range<UserNumbers> => ({ partition: [], under: ['NUMBERS'] });

/** Locks an active phone number, which only one user on the platform can have. */
export const numberOwnerKey = (value: string): IdentityKey<NumberOwner> => ({
  partition: ['PHONE_NUMBER', sameNumberForm(value)],
  sort: ['PHONE_NUMBER'],
});

/** The future owner of a pending number. Several organizations may wait for the same number; the first whose claim is approved gets it. */
export const numberClaimKey = (value: string, organizationId: string): IdentityKey<NumberOwner> => ({
  partition: ['PHONE_NUMBER', sameNumberForm(value)],
  sort: ['CLAIM', organizationId],
});

/** Who had a number until it was removed. */
export interface FormerOwner extends NumberOwner {
  removedAt: Timestamp;
}

/**
 * Kept for as long as a provider may report about calls and messages of that time: its secret proves those reports. An organization
 * may have had and removed the number more than once, each time with another secret.
 */
export const formerOwnerKey = (
  value: string,
  organizationId: string,
  removedAt: Timestamp,
): IdentityKey<FormerOwner> => ({
  partition: ['PHONE_NUMBER', sameNumberForm(value)],
  sort: ['FORMER', organizationId, removedAt],
});

/** The owner of a number, and all former ones. */
const numberOwnersRange = (value: string): Range<NumberOwner | FormerOwner, 'identity'> => ({
  partition: ['PHONE_NUMBER', sameNumberForm(value)],
  between: { from: 'FORMER', to: 'PHONE_NUMBER' },
});

/**
 * Milliseconds for which a provider's reports about a message, a call or a removed number are taken: longer than a message is tried and
 * than a call lasts, and longer than a report that failed waits for a redrive.
 */
export const reportsTakenFor = 30 * day;

/** Reads a user's numbers: one small read, strongly consistent. */
export async function readAssignments(table: TableReader, userId: string): Promise<PhoneAssignment[]> {
  return (await table.read(userNumbersKey(userId)))?.data.numbers ?? [];
}

/** The active number that a user calls and writes from: the default one, or the first while that waits for approval. */
export function defaultAssignment(assignments: readonly PhoneAssignment[]): PhoneAssignment | undefined {
  const chosen = assignments.find(({ isDefault }) => isDefault);
  return chosen?.status === 'pending' ? assignments.find(({ status }) => status === 'active') : chosen;
}

/**
 * The owner of an active phone number (E.164), for a webhook that knows nothing else; undefined if there is none. The `secret` must not
 * leave the operation.
 */
export async function readNumberOwner(
  identity: TableReader<'identity'>,
  phoneNumber: string,
): Promise<NumberOwner | undefined> {
  return (await identity.read(numberOwnerKey(phoneNumber)))?.data;
}

/** The owner of a phone number (E.164), and the former owners while a provider may still report about it. */
export interface NumberOwners {
  readonly current: NumberOwner | undefined;
  readonly former: readonly FormerOwner[];
}

/** Reads them in one query. The database deletes former owners late, so their time is compared. */
export async function readNumberOwners(
  identity: TableReader<'identity'>,
  phoneNumber: string,
  now: Date,
): Promise<NumberOwners> {
  const owners = (await identity.list(numberOwnersRange(phoneNumber))).map(({ data }) => data);
  const since = timestamp(after(now, -reportsTakenFor));
  return {
    current: owners.find((owner) => !('removedAt' in owner)),
    former: owners.filter((owner) => 'removedAt' in owner).filter(({ removedAt }) => removedAt > since),
  };
}

/** Where the secret of a number belongs: the same when a claim is approved, and when the number is removed. */
export function numberSecretLocation({ organizationId }: NumberOwner, value: string): SecretLocation {
  return { organizationId, record: ['PHONE_NUMBER', sameNumberForm(value)] };
}

/** The secrets that may sign for a number (E.164) which had these owners. */
export function openSecrets(
  secrets: SecretOpener,
  phoneNumber: string,
  owners: readonly NumberOwner[],
): Promise<string[]> {
  return Promise.all(
    owners.flatMap((owner) =>
      owner.secret === undefined ? [] : secrets.open(owner.secret, numberSecretLocation(owner, phoneNumber)),
    ),
  );
}
