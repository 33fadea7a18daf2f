import type { TableReader } from '../table/table.ts';
import type { NumberOwner, PhoneAssignment } from './phone-assignment.ts';
import { numberOwnerKey, userNumbersKey } from './phone-assignment.ts';

/** The numbers of a user of the organization: one small read, strongly consistent. */
export async function assignmentsOf(table: TableReader, userId: string): Promise<PhoneAssignment[]> {
  return (await table.read(userNumbersKey(userId)))?.data.numbers ?? [];
}

/** Of a user's numbers, the one that calls and messages come from. */
export function defaultAssignment(assignments: readonly PhoneAssignment[]): PhoneAssignment | undefined {
  return assignments.find(({ isDefault }) => isDefault);
}

/** Of a user's numbers, the one that inbound calls are taken to have come to: the default one, if it takes calls. */
export function defaultInboundAssignment(
  assignments: readonly PhoneAssignment[],
): PhoneAssignment | undefined {
  const assignment = defaultAssignment(assignments);
  return assignment?.isInboundEnabled ? assignment : undefined;
}

/**
 * Whose a phone number (E.164) is, for a webhook that knows nothing else; undefined for a number that is nobody's. The
 * `secret` in it must not leave the operation.
 */
export async function numberOwner(
  identity: TableReader<'identity'>,
  phoneNumber: string,
): Promise<NumberOwner | undefined> {
  return (await identity.read(numberOwnerKey(phoneNumber)))?.data;
}
