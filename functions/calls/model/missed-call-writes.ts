import {
  type Call,
  type CallRecord,
  callKey,
  dueMissedCallText,
  isDiscarded,
  type MissedCallResult,
} from '../../../shared/calls/call.ts';
import { listedActions } from '../../../shared/calls/call-entries.ts';
import { withEventActions } from '../../../shared/calls/call-event-actions.ts';
import { callEvents } from '../../../shared/calls/call-events.ts';
import { decideMissedCall, type MissedCallDecision } from '../../../shared/calls/decide-missed-call.ts';
import { type MissedCallText, missedCallTextKey } from '../../../shared/calls/missed-call.ts';
import type { ContactState } from '../../../shared/contact-aggregate/contact-aggregate.ts';
import { hasOptedOut } from '../../../shared/contacts/consent.ts';
import { ownNumber } from '../../../shared/contacts/contact.ts';
import { scheduleAction } from '../../../shared/events/due-entry.ts';
import type { NewEvent } from '../../../shared/events/outbox.ts';
import { Failure } from '../../../shared/kernel/failure.ts';
import { after, timestamp } from '../../../shared/kernel/time.ts';
import { commitText } from '../../../shared/messages/daily-text-limit.ts';
import { missedCallText } from '../../../shared/messages/missed-call-text.ts';
import { longestCooldown } from '../../../shared/organizations/missed-call-policy.ts';
import type { Action, Stored } from '../../../shared/table/table.ts';
import type { Counterparty } from './counterparty.ts';
import type { EarlierCalls } from './earlier-calls.ts';
import type { MissedCallContext } from './missed-call-context.ts';
import { queuedText } from './queued-text.ts';
import { prepareReminderToCallBack } from './reminder-to-call-back.ts';

/** A missed call to be stored with what follows it. */
export interface MissedCallWrite {
  /** Undefined for a call that is stored for the first time. */
  readonly before: Stored<CallRecord> | undefined;
  /** The call as it ended. */
  readonly call: Call;
  /** Undefined if the contact was deleted. */
  readonly counterparty: Counterparty | undefined;
  /** Undefined for a caller who was unknown. */
  readonly earlier: EarlierCalls | undefined;
  /** Further actions of the transaction. */
  readonly more?: readonly Action[];
  /** Whether the organization still has the number that was called, to send a text from. */
  readonly hasSender: boolean;
  /** The action that ends the entry of a text that was scheduled. */
  readonly due?: Action;
}

/**
 * Stores a missed call in one transaction with the text to its caller, or with the entry that sends it at the next opening, or with the
 * reason why there is none: so a text exists if, and only if, the call says so. If a number misses several calls at once, one of them
 * gets the text: each requires that no other has written the record of the last text.
 * @throws `VersionConflict` when the call, its contact or the last text changes at the same moment.
 */
export async function commitMissedCall(write: MissedCallWrite, context: MissedCallContext): Promise<Call> {
  const { table, settings, now } = context;
  const followUp = followUpOf(decisionFor(write, context), write, context);
  if (followUp.result.outcome !== 'sent') {
    return commitWith(write, followUp, context, (actions) => table.commit(actions));
  }
  const day = { contactId: write.call.contactId, limit: settings.textPolicy.dailyLimit, now };
  try {
    return await commitWith(write, followUp, context, (actions) => commitText(table, actions, day));
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'TOO_MANY_ATTEMPTS') {
      throw error;
    }
    // The organization has sent all that it may send on this day. The call is recorded all the same.
    return commitWith(write, skipped('daily_limit', write, context), context, (actions) =>
      table.commit(actions),
    );
  }
}

function decisionFor(
  { call, counterparty, earlier, hasSender }: MissedCallWrite,
  { settings: { policy, hours, message, pipelines }, now }: MissedCallContext,
): MissedCallDecision {
  const contact = counterparty?.state.contact;
  // While a text waits, its number may become that of another contact, who may have opted out.
  const isTheirs = contact !== undefined && ownNumber(contact.phoneNumbers, call.from) !== undefined;
  const template = message.missedCallMessage;
  return decideMissedCall({
    callId: call._id,
    policy,
    hours,
    isSwitchedOn: message.missedCallAutoMessageEnabled,
    text: contact === undefined ? template : missedCallText(template, { contact, pipelines }),
    hasNumbers: isTheirs && hasSender,
    hasOptedOut: contact !== undefined && hasOptedOut(contact, call.from),
    lastText: earlier?.lastText?.data,
    at: now,
  });
}

/** The consequences of a missed call. */
interface FollowUp {
  readonly result: MissedCallResult;
  /** Takes the id of the last event. */
  readonly actions: (lastEventId: string) => readonly Action[];
  /** The contact with the text. */
  readonly state?: ContactState;
  readonly events?: readonly NewEvent[];
}

function followUpOf(
  decision: MissedCallDecision,
  write: MissedCallWrite,
  context: MissedCallContext,
): FollowUp {
  const { call, counterparty } = write;
  const { table, settings, ids, now } = context;
  if (decision.outcome === 'skipped' || counterparty === undefined) {
    return skipped(decision.reason, write, context);
  }
  if (decision.outcome === 'scheduled') {
    const { outcome, reason, at } = decision;
    return {
      result: { outcome, reason, sendAt: timestamp(at) },
      actions: () => [lastTextAction(at, write, context)],
    };
  }
  const { message, pipelines } = settings;
  const { contact } = counterparty.state;
  const content = missedCallText(message.missedCallMessage, { contact, pipelines });
  const text = queuedText(table, { call, content, before: counterparty.state }, ids, now);
  return {
    result: { outcome: decision.outcome, reason: decision.reason, messageId: text.messageId },
    state: text.state,
    actions: (lastEventId) => [lastTextAction(now, write, context), ...text.actions(lastEventId)],
    events: [text.event],
  };
}

/** The result without a text. The record of a text that was scheduled for this call is deleted, so that it holds back no other. */
function skipped(
  reason: MissedCallResult['reason'],
  { call, earlier }: MissedCallWrite,
  { table }: MissedCallContext,
): FollowUp {
  const lastText = earlier?.lastText;
  const isOwn = lastText !== undefined && lastText.data.callId === call._id;
  return {
    result: { outcome: 'skipped', reason },
    actions: () => (isOwn ? [table.delete(lastText.key, { ifVersion: lastText.version })] : []),
  };
}

/** Remembers the text as the last one to the caller, unless somebody else has written another one since it was read. */
function lastTextAction(at: Date, { call, earlier }: MissedCallWrite, { table }: MissedCallContext): Action {
  const lastText = earlier?.lastText;
  const text: MissedCallText = { callId: call._id, at: timestamp(at) };
  const options = { expiresAt: after(at, longestCooldown) };
  return lastText === undefined
    ? table.add(missedCallTextKey(call.contactId, call.from ?? ''), text, options)
    : table.replace(lastText, text, options);
}

async function commitWith(
  { before, call, counterparty, earlier, more = [], due }: MissedCallWrite,
  { result, actions, state = counterparty?.state, events = [] }: FollowUp,
  context: MissedCallContext,
  commit: (actions: readonly Action[]) => Promise<void>,
): Promise<Call> {
  const { table, platform, settings, ids, now } = context;
  const callBefore = before === undefined || isDiscarded(before.data) ? undefined : before.data;
  const reminder =
    due === undefined
      ? await prepareReminderToCallBack(call, counterparty, earlier?.callBack, context)
      : undefined;
  const reminded = reminder === undefined ? {} : { reminderId: reminder.id };
  const ended: Call = { ...call, missedCall: result, ...reminded };
  const scheduled = dueMissedCallText(ended);
  const contact = state && counterparty?.writes(state);
  const ofCall = callEvents(callBefore, ended, state?.contact, counterparty?.newConversation).map((event) =>
    event.event === 'call_missed' && settings.policy.notify
      ? { ...event, notify: { type: 'missed_call' as const, to: [ended.userId] } }
      : event,
  );
  const allEvents = [...(contact?.events ?? []), ...ofCall, ...events];
  const { call: missed, actions: eventActions } = withEventActions(table, callBefore, ended, allEvents, {
    newId: ids.newId,
    now,
  });
  await commit([
    ...(contact?.actions ?? []),
    before === undefined ? table.add(callKey(call._id), missed) : table.replace(before, missed),
    ...listedActions(table, missed, counterparty !== undefined),
    ...actions(missed.toldIn ?? ''),
    ...(scheduled === undefined ? [] : [scheduleAction(platform, scheduled)]),
    ...more,
    ...(reminder?.actions ?? []),
    ...(due === undefined ? [] : [due]),
    ...eventActions,
  ]);
  return missed;
}
