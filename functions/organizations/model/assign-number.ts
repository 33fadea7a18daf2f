import { Failure, notFound } from '../../../shared/kernel/failure.ts';
import { given } from '../../../shared/kernel/fields.ts';
import type {
  NumberOwner,
  PhoneAssignment,
  UserNumbers,
} from '../../../shared/organizations/phone-assignments.ts';
import {
  defaultAssignment,
  numberOwnerKey,
  userNumbersRange,
} from '../../../shared/organizations/phone-assignments.ts';
import type { Stored, TableReader } from '../../../shared/table/table.ts';
import { findOrganization } from './organization-record.ts';
import type { NewPhoneAssignment, PhoneAssignmentChanges } from './phone-assignment-fields.ts';

/** Numbers a user may have: they are one record, read with every call. */
const mostNumbers = 100;

/** A number for a user who has these: the default one when it says so, or says nothing and there is none yet. */
export function newAssignment(
  { numbers }: UserNumbers,
  { provider, phoneNumber, isDefault, isInboundEnabled = true, label = '' }: NewPhoneAssignment,
): PhoneAssignment {
  return {
    provider,
    phoneNumber,
    isDefault: isDefault ?? defaultAssignment(numbers) === undefined,
    isInboundEnabled,
    label,
  };
}

/** The assignment with what the changes say of it. */
export function changedAssignment(
  before: PhoneAssignment,
  { secret: _, ...changes }: PhoneAssignmentChanges,
): PhoneAssignment {
  return { ...before, ...given(changes) };
}

/**
 * A user's numbers with this one, added or in place of what it was. A default one takes the place of the one before.
 * @throws a 409 `Failure` when there are too many.
 */
export function withNumber({ userId, numbers }: UserNumbers, assignment: PhoneAssignment): UserNumbers {
  const others = assignment.isDefault ? numbers.map((one) => ({ ...one, isDefault: false })) : [...numbers];
  const at = others.findIndex(({ phoneNumber }) => phoneNumber === assignment.phoneNumber);
  if (at === -1 && others.length >= mostNumbers) {
    throw new Failure(
      'CONFLICT',
      `The user already has ${mostNumbers} phone numbers, the maximum. Remove one first.`,
    );
  }
  return { userId, numbers: at === -1 ? [...others, assignment] : others.with(at, assignment) };
}

export function withoutNumber({ userId, numbers }: UserNumbers, phoneNumber: string): UserNumbers {
  return { userId, numbers: numbers.filter((one) => one.phoneNumber !== phoneNumber) };
}

/** Whose a number is, with the secret given: a text sets it, an empty one clears it, none leaves it. */
export function withSecret(
  { secret: before, ...owner }: NumberOwner,
  { secret = before }: PhoneAssignmentChanges,
): NumberOwner {
  return secret ? { ...owner, secret } : owner;
}

/** A number that is assigned in the organization: the record of its user, the number in there, and its lock. */
interface AssignedNumber {
  readonly stored: Stored<UserNumbers>;
  readonly assignment: PhoneAssignment;
  readonly lock: Stored<NumberOwner, 'identity'>;
}

/**
 * Searches all assignments of the organization: the lock would tell whose the number is, but only one round trip earlier.
 * @throws a 404 `Failure` when the organization does not exist, or the number is nobody's there.
 */
export async function assignedNumber(
  table: TableReader,
  identity: TableReader<'identity'>,
  phoneNumber: string,
): Promise<AssignedNumber> {
  const [all, lock] = await Promise.all([
    table.list(userNumbersRange()),
    identity.read(numberOwnerKey(phoneNumber)),
    findOrganization(table),
  ]);
  for (const stored of all) {
    const assignment = stored.data.numbers.find((one) => one.phoneNumber === phoneNumber);
    if (assignment !== undefined && lock !== undefined) {
      return { stored, assignment, lock };
    }
  }
  throw notFound('Phone number');
}
