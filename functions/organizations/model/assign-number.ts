import { logAction } from '../../../shared/events/log-entry.ts';
import { definedOnly } from '../../../shared/kernel/defined-only.ts';
import { Failure, notFound } from '../../../shared/kernel/failure.ts';
import type { ClockAndIds } from '../../../shared/kernel/operation.ts';
import type { SecretSealer } from '../../../shared/kernel/secrets/sealed-secrets.ts';
import type {
  NumberOwner,
  NumberStatus,
  PhoneAssignment,
  UserNumbers,
} from '../../../shared/organizations/phone-assignments.ts';
import {
  numberClaimKey,
  numberOwnerKey,
  numberSecretLocation,
  openSecrets,
  userNumbersRange,
} from '../../../shared/organizations/phone-assignments.ts';
import type { Action, Stored, TableReader, TableWriter } from '../../../shared/table/table.ts';
import { findOrganization } from './organization-record.ts';
import type { NewPhoneAssignment, PhoneAssignmentChanges } from './phone-assignment-fields.ts';

/** Numbers that a user may have: they are one record, read with every call. */
const maxNumbers = 100;

/** A new number. It is the default one if the request says so, or says nothing and the user has no default yet. */
export function newAssignment(
  { numbers }: UserNumbers,
  { provider, phoneNumber, isDefault, isInboundEnabled = true, label = '' }: NewPhoneAssignment,
  status: NumberStatus,
): PhoneAssignment {
  return {
    provider,
    phoneNumber,
    isDefault: isDefault ?? !numbers.some((number) => number.isDefault),
    isInboundEnabled,
    label,
    status,
  };
}

/** The assignment with its changes; absent fields keep their values. The secret is not part of it. */
export function changedAssignment(
  before: PhoneAssignment,
  { secret: _, ...changes }: PhoneAssignmentChanges,
): PhoneAssignment {
  return { ...before, ...definedOnly(changes) };
}

/**
 * The user's numbers with this one added or replaced. A default one replaces the former default.
 * @throws a 409 `Failure` when there are too many.
 */
export function withNumber({ userId, numbers }: UserNumbers, assignment: PhoneAssignment): UserNumbers {
  const others = assignment.isDefault
    ? numbers.map((number) => ({ ...number, isDefault: false }))
    : [...numbers];
  const at = others.findIndex(({ phoneNumber }) => phoneNumber === assignment.phoneNumber);
  if (at === -1 && others.length >= maxNumbers) {
    throw new Failure(
      'CONFLICT',
      `The user already has ${maxNumbers} phone numbers, the maximum. Remove one first.`,
    );
  }
  return { userId, numbers: at === -1 ? [...others, assignment] : others.with(at, assignment) };
}

/** The user's numbers without this one. */
export function withoutNumber({ userId, numbers }: UserNumbers, phoneNumber: string): UserNumbers {
  return { userId, numbers: numbers.filter((number) => number.phoneNumber !== phoneNumber) };
}

/** The owner with the secret of the request: another text sets it, an empty text clears it, no text and the same one keep it. */
export async function sealSecret(
  secrets: SecretSealer,
  phoneNumber: string,
  owner: NumberOwner,
  { secret }: PhoneAssignmentChanges,
): Promise<NumberOwner> {
  const [before] = secret === undefined ? [] : await openSecrets(secrets, phoneNumber, [owner]);
  if (secret === before) {
    return owner;
  }
  const { secret: _, ...others } = owner;
  return secret
    ? { ...others, secret: await secrets.seal(secret, numberSecretLocation(owner, phoneNumber)) }
    : others;
}

/** The owner as it is written: with its secret sealed, if that is from before secrets were. */
export async function sealOwner(
  secrets: SecretSealer,
  phoneNumber: string,
  owner: NumberOwner,
): Promise<NumberOwner> {
  const { secret } = owner;
  return typeof secret === 'string'
    ? { ...owner, secret: await secrets.seal(secret, numberSecretLocation(owner, phoneNumber)) }
    : owner;
}

/** Whether a change takes the secret away, so that anybody could write messages to the number. */
export function losesSecret(before: NumberOwner, after: NumberOwner): boolean {
  return before.secret !== undefined && after.secret === undefined;
}

/** For a change that would leave an active number without a secret. */
export function secretNeeded(): Failure {
  return new Failure('CONFLICT', 'An active number needs its secret. To change it, send the new one.');
}

/** For a number that any user of any organization has. */
export function numberTaken(): Failure {
  return new Failure('CONFLICT', 'This phone number is already assigned.');
}

/** An assigned number of the organization, with its user's record, and its lock or, if it is pending, its claim. */
interface AssignedNumber {
  readonly stored: Stored<UserNumbers>;
  readonly assignment: PhoneAssignment;
  readonly owner: Stored<NumberOwner, 'identity'>;
}

/**
 * Searches all assignments of the organization. The lock names the user too, but reading it first would take another round trip.
 * @throws a 404 `Failure` when the organization does not exist, or nobody in it has the number.
 */
export async function findAssignedNumber(
  table: TableReader,
  identity: TableReader<'identity'>,
  phoneNumber: string,
): Promise<AssignedNumber> {
  const [all, [lock, claim]] = await Promise.all([
    table.list(userNumbersRange()),
    identity.readMany([numberOwnerKey(phoneNumber), numberClaimKey(phoneNumber, table.organizationId)]),
    findOrganization(table),
  ]);
  for (const stored of all) {
    const assignment = stored.data.numbers.find((number) => number.phoneNumber === phoneNumber);
    const owner = assignment?.status === 'active' ? lock : claim;
    if (assignment !== undefined && owner !== undefined) {
      return { stored, assignment, owner };
    }
  }
  throw notFound('Phone number');
}

/** The action that logs what happened to a number, in the transaction of that. */
export function logNumberAction(
  table: TableWriter,
  happened: 'assigned' | 'removed',
  phoneNumber: string,
  { now, newId }: ClockAndIds,
): Action {
  const entity = { type: 'phone_number', id: phoneNumber } as const;
  return logAction(table, { event: `phone_number_${happened}`, entity }, newId(), now);
}
