import { decideMissedCall, type MissedCallDecision } from '../../../shared/calls/decide-missed-call.ts';
import { missedCallTextKey } from '../../../shared/calls/missed-call.ts';
import { lockHolder, releasedLock } from '../../../shared/contact-aggregate/number-locks.ts';
import { hasOptedOut } from '../../../shared/contacts/consent.ts';
import { contactKey, newContact, type StoredContact } from '../../../shared/contacts/contact.ts';
import { phoneLockKey } from '../../../shared/contacts/phone-numbers.ts';
import { placeholderFields } from '../../../shared/contacts/placeholder-contact.ts';
import type { Ports } from '../../../shared/kernel/operation.ts';
import { timestamp } from '../../../shared/kernel/time.ts';
import { countQueuedByShard, shardWithRoom } from '../../../shared/messages/daily-text-limit.ts';
import { readPipelinesFor } from '../../../shared/messages/fill-placeholders.ts';
import { missedCallText } from '../../../shared/messages/missed-call-text.ts';
import { businessHours } from '../../../shared/organizations/business-hours.ts';
import { missedCallMessage } from '../../../shared/organizations/missed-call-message.ts';
import { missedCallPolicy } from '../../../shared/organizations/missed-call-policy.ts';
import { userNumbersRange } from '../../../shared/organizations/phone-assignments.ts';
import { effectiveTextPolicy, textSettings } from '../../../shared/organizations/text-settings.ts';
import type { TrialPolicy } from '../../../shared/organizations/trial-policy.ts';
import type { TableReader } from '../../../shared/table/table.ts';
import { readStoredSettings } from './settings.ts';

type PreviewedDecision = MissedCallDecision | { readonly outcome: 'skipped'; readonly reason: 'daily_limit' };

/**
 * Previews the text as if a call from this number (E.164; undefined for a withheld one) were missed. It takes two round trips,
 * because the number's lock names the contact.
 * @throws a 404 `Failure` when the organization does not exist.
 */
export async function previewMissedCall(
  { table, trialPolicy }: Ports<{ table: 'read'; trialPolicy: 'read' }>,
  number: string | undefined,
  at: Date,
): Promise<{ decision: PreviewedDecision; text: string; template: string }> {
  const [policy, message, hours, hasSender, caller, hasRoom] = await Promise.all([
    readStoredSettings(table, missedCallPolicy),
    table.read(missedCallMessage.key),
    table.read(businessHours.key),
    hasActiveNumber(table),
    number === undefined ? undefined : callerWith(table, number),
    hasRoomAt(table, trialPolicy, at),
  ]);
  const { missedCallMessage: template, missedCallAutoMessageEnabled: isSwitchedOn } =
    message?.data ?? missedCallMessage.initial;
  const text = missedCallText(template, {
    contact: caller?.contact ?? unknownCaller(table, number ?? '', at),
    pipelines: await readPipelinesFor(template, table),
  });
  const decision = decideMissedCall({
    policy,
    hours: hours?.data ?? businessHours.initial,
    isSwitchedOn,
    text,
    hasNumbers: number !== undefined && hasSender,
    hasOptedOut: caller?.isOptedOut ?? false,
    lastText: caller?.lastText,
    at,
  });
  const isBeyondLimit = decision.outcome === 'sent' && !hasRoom;
  return {
    decision: isBeyondLimit ? { outcome: 'skipped', reason: 'daily_limit' } : decision,
    text,
    template,
  };
}

/** Whether the organization may send another text on the day of this moment, by what it has sent until now. */
async function hasRoomAt(table: TableReader, trialPolicy: TrialPolicy, at: Date): Promise<boolean> {
  const [stored, queued] = await Promise.all([
    table.read(textSettings.key, { consistent: false }),
    countQueuedByShard(table, at),
  ]);
  const { dailyLimit } = effectiveTextPolicy(stored?.data, trialPolicy);
  return shardWithRoom(queued, dailyLimit) !== undefined;
}

async function callerWith(table: TableReader, number: string) {
  const lock = await table.read(phoneLockKey(number));
  const contactId = lockHolder(lock);
  if (contactId === undefined) {
    return { isOptedOut: releasedLock(lock)?.consent.sms === 'out' };
  }
  const [contact, lastText] = await Promise.all([
    table.read(contactKey(contactId)),
    table.read(missedCallTextKey(contactId, number)),
  ]);
  const isOptedOut = contact !== undefined && hasOptedOut(contact.data, number);
  return { contact: contact?.data, lastText: lastText?.data, isOptedOut };
}

/** The contact that the call itself would make of a number that no contact has, in a stage that is not known yet. */
function unknownCaller({ organizationId }: TableReader, number: string, at: Date): StoredContact {
  const creator = { userId: '', organizationId, homeOrganizationId: organizationId };
  const nowhere = { pipelineId: '', stageId: '' };
  return newContact('', creator, nowhere, placeholderFields('inbound call', number), timestamp(at));
}

async function hasActiveNumber(table: TableReader): Promise<boolean> {
  const users = await table.list(userNumbersRange(), { consistent: false });
  return users.some(({ data: { numbers } }) => numbers.some(({ status }) => status === 'active'));
}
