import type { IdentityKey, Key, Range } from '../table/key.ts';
import type { TableReader } from '../table/table.ts';

/** A phone number that a user calls and writes from. */
export interface PhoneAssignment {
  /** The name of the provider that carries the number. */
  provider: string;
  /** E.164. */
  phoneNumber: string;
  /** The number that the user's calls and messages come from; one a user at most. */
  isDefault: boolean;
  /** Whether calls to the number ring at the user. */
  isInboundEnabled: boolean;
  label: string;
}

/** All numbers of a user in one record, in the order of their assignment: one default by the record's version alone. */
export interface UserNumbers {
  userId: string;
  numbers: PhoneAssignment[];
}

/** Whose a number is, platform-wide. Lies under the number: its lock. */
export interface NumberOwner {
  organizationId: string;
  userId: string;
  provider: string;
  /** What the provider signs its webhook calls with; absent when these are not signed. Never answered, never logged. */
  secret?: string;
}

export const userNumbersKey = (userId: string): Key<UserNumbers> => ({
  partition: [],
  sort: ['NUMBERS', userId],
});

export const userNumbersRange = (): Range<UserNumbers> => ({ partition: [], under: ['NUMBERS'] });

/** The lock that makes a phone number one user's platform-wide. */
export const numberOwnerKey = (value: string): IdentityKey<NumberOwner> => ({
  partition: ['PHONE_NUMBER', value],
  sort: ['PHONE_NUMBER'],
});

/** Reads a user's numbers: one small read, strongly consistent. */
export async function assignmentsOf(table: TableReader, userId: string): Promise<PhoneAssignment[]> {
  return (await table.read(userNumbersKey(userId)))?.data.numbers ?? [];
}

/** The number that a user calls and writes from. */
export function defaultAssignment(assignments: readonly PhoneAssignment[]): PhoneAssignment | undefined {
  return assignments.find(({ isDefault }) => isDefault);
}

/**
 * The owner of a phone number (E.164), for a webhook that knows nothing else; undefined if there is none. The `secret` must not
 * leave the operation.
 */
export async function numberOwner(
  identity: TableReader<'identity'>,
  phoneNumber: string,
): Promise<NumberOwner | undefined> {
  return (await identity.read(numberOwnerKey(phoneNumber)))?.data;
}
