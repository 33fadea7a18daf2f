import type { Conversation } from '../../../shared/conversations/conversation.ts';
import type { Caller } from '../../../shared/kernel/caller.ts';
import { Failure } from '../../../shared/kernel/failure.ts';
import {
  defaultAssignment,
  type PhoneAssignment,
  readNumberOwner,
} from '../../../shared/organizations/phone-assignments.ts';
import {
  effectiveTextPolicy,
  type TextPolicy,
  textSettings,
} from '../../../shared/organizations/text-settings.ts';
import type { TrialPolicy } from '../../../shared/organizations/trial-policy.ts';
import type { TableReader } from '../../../shared/table/table.ts';

/**
 * The active number that a message is sent from: the chosen one, which must be one of the caller's; else the caller's default number, or
 * the one that the contact last wrote to. Null for the standard sender of the provider account, if the organization may use it.
 * @throws a 409 `Failure` when there is no such number, or the chosen one is not an active number of the caller.
 */
export async function findSenderNumber(
  identity: TableReader<'identity'>,
  caller: Pick<Caller, 'organizationId'>,
  numbers: readonly PhoneAssignment[],
  conversation: Conversation | undefined,
  { standardSender }: TextPolicy,
  chosen?: string,
): Promise<string | null> {
  if (chosen !== undefined) {
    if (!numbers.some(({ phoneNumber, status }) => phoneNumber === chosen && status === 'active')) {
      throw new Failure(
        'CONFLICT',
        'from is not one of your active phone numbers. Ask an ADMIN to assign it to you; if it is pending, a SUPERADMIN must approve it first.',
      );
    }
    return chosen;
  }
  const number =
    defaultAssignment(numbers)?.phoneNumber ?? (await numberWrittenTo(identity, caller, conversation));
  if (number === undefined && !standardSender) {
    if (numbers.some(({ status }) => status === 'active')) {
      throw new Failure(
        'CONFLICT',
        'None of your active phone numbers is your default number, which messages are sent from. Ask an ADMIN to make one of them your default.',
      );
    }
    throw new Failure(
      'CONFLICT',
      'You have no active phone number to send from. Ask an ADMIN to assign one to you; if it is pending, a SUPERADMIN must approve it first.',
    );
  }
  return number ?? null;
}

/** Where to look up who may use a number, and whether an organization may use the standard sender. */
export interface SenderSources {
  readonly table: TableReader;
  readonly identity: TableReader<'identity'>;
  readonly trialPolicy: TrialPolicy;
}

/** Why a message that waited can no longer be sent from this number (null for the standard sender); undefined if it can. */
export async function findLostSender(
  from: string | null,
  { table, identity, trialPolicy }: SenderSources,
): Promise<string | undefined> {
  if (from === null) {
    const settings = await table.read(textSettings.key);
    return effectiveTextPolicy(settings?.data, trialPolicy).standardSender
      ? undefined
      : 'Your organization may no longer send without a phone number of its own. Ask an ADMIN to assign one to you, then send the message again.';
  }
  return (await readNumberOwner(identity, from))?.organizationId === table.organizationId
    ? undefined
    : 'The number that the message was to be sent from is no longer assigned. Send the message again.';
}

/** The last number that the contact wrote to, if it still belongs to the organization. */
async function numberWrittenTo(
  identity: TableReader<'identity'>,
  { organizationId }: Pick<Caller, 'organizationId'>,
  conversation: Conversation | undefined,
): Promise<string | undefined> {
  const last = conversation?.lastInbound?.to;
  const owner = last === undefined ? undefined : await readNumberOwner(identity, last);
  return owner?.organizationId === organizationId ? last : undefined;
}
