import type { TableReader } from '../table/table.ts';
import type { NumberOwner, PhoneAssignment } from './phone-assignment.ts';
import { numberOwnerKey, userNumbersKey } from './phone-assignment.ts';

/** Reads a user's numbers: one small read, strongly consistent. */
export async function assignmentsOf(table: TableReader, userId: string): Promise<PhoneAssignment[]> {
  return (await table.read(userNumbersKey(userId)))?.data.numbers ?? [];
}

/** The number that a user calls and writes from. */
export function defaultAssignment(assignments: readonly PhoneAssignment[]): PhoneAssignment | undefined {
  return assignments.find(({ isDefault }) => isDefault);
}

/** The number that inbound calls are assumed to have come to: the default one, if it takes calls. */
export function defaultInboundAssignment(
  assignments: readonly PhoneAssignment[],
): PhoneAssignment | undefined {
  const assignment = defaultAssignment(assignments);
  return assignment?.isInboundEnabled ? assignment : undefined;
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
