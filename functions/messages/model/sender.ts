import type { Conversation } from '../../../shared/conversations/conversation.ts';
import type { Caller } from '../../../shared/kernel/caller.ts';
import { Failure } from '../../../shared/kernel/failure.ts';
import type { TextAllowance } from '../../../shared/messages/text-settings.ts';
import {
  defaultAssignment,
  numberOwner,
  type PhoneAssignment,
} from '../../../shared/organizations/phone-assignments.ts';
import type { TableReader } from '../../../shared/table/table.ts';

/**
 * The active number that a message leaves from: the caller's default one, or the one that the contact last wrote to. Null for the
 * standard sender of the provider account, if the organization may use it.
 * @throws a 409 `Failure` when there is none of them.
 */
export async function senderNumber(
  identity: TableReader<'identity'>,
  caller: Caller,
  numbers: readonly PhoneAssignment[],
  conversation: Conversation | undefined,
  { standardSender }: TextAllowance,
): Promise<string | null> {
  const number =
    defaultAssignment(numbers)?.phoneNumber ?? (await answeringNumber(identity, caller, conversation));
  if (number === undefined && !standardSender) {
    throw new Failure(
      'CONFLICT',
      'You have no active phone number to send from. Ask an ADMIN to assign one to you; if it is pending, a SUPERADMIN must approve it first.',
    );
  }
  return number ?? null;
}

/** The last number that the contact wrote to, if it still belongs to the organization. */
async function answeringNumber(
  identity: TableReader<'identity'>,
  { organizationId }: Caller,
  conversation: Conversation | undefined,
): Promise<string | undefined> {
  const last = conversation?.lastInbound?.to;
  const owner = last === undefined ? undefined : await numberOwner(identity, last);
  return owner?.organizationId === organizationId ? last : undefined;
}
