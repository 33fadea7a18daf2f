import { phoneLockKey } from '../../../shared/contacts/phone-numbers.ts';
import { type Pipelines, readPipelines } from '../../../shared/contacts/pipeline.ts';
import { isPhoneNumber } from '../../../shared/contacts/read-phone-number.ts';
import type { NumberOwner } from '../../../shared/organizations/phone-assignments.ts';
import type { TrialPolicy } from '../../../shared/organizations/trial-policy.ts';
import { type User, userKey } from '../../../shared/organizations/user.ts';
import { toDigest } from '../../../shared/table/digest.ts';
import type { Stored, TableReader } from '../../../shared/table/table.ts';
import { findHelpFor, type Help } from './help-reply.ts';
import type { IncomingSms } from './incoming-sms.ts';
import { messageOptOutType } from './opt-out-words.ts';
import { type ReceivedIds, receivedMessageKey } from './received-message.ts';

/** The stored records about a message and its sender, in the organization that has the number. */
export interface MessageLookup {
  /** The records of the message, if it was received before. */
  readonly earlier: Stored<ReceivedIds> | undefined;
  /** The lock of the sender's number or address. */
  readonly lock: Stored<never> | undefined;
  /** The user of the number. */
  readonly user: Stored<User> | undefined;
  readonly pipelines: Stored<Pipelines>;
  /** The help that the message asks for; undefined for none. */
  readonly help: Help | undefined;
}

/** When a message is looked up, and for what. */
export interface LookupOptions {
  readonly now: Date;
  /** Now, unless the message had to wait for its recipient. */
  readonly receivedAt?: Date;
  /** For the reply to a message that asks for help; without it there is none. */
  readonly trialPolicy?: TrialPolicy;
}

/** Reads it in one round trip. */
export async function lookUpMessage(
  table: TableReader,
  { userId, provider }: Pick<NumberOwner, 'userId' | 'provider'>,
  sms: IncomingSms,
  { now, receivedAt = now, trialPolicy }: LookupOptions,
): Promise<MessageLookup> {
  const { sid, from } = sms;
  const isNumber = isPhoneNumber(from);
  const [earlier, lock, user, pipelines, help] = await Promise.all([
    table.read(receivedKeyFor(provider, sid)),
    table.read(phoneLockKey(from)),
    table.read(userKey(userId)),
    readPipelines(table),
    trialPolicy && isNumber && messageOptOutType(sms) === 'HELP'
      ? findHelpFor(table, { receivedAt, now }, trialPolicy)
      : undefined,
  ]);
  return { earlier, lock, user, pipelines, help };
}

export const receivedKeyFor = (provider: string, sid: string) =>
  receivedMessageKey(toDigest(JSON.stringify([provider, sid])));
