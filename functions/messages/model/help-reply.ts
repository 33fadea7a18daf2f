import type { ContactState } from '../../../shared/contact-aggregate/contact-aggregate.ts';
import type { Conversation } from '../../../shared/conversations/conversation.ts';
import type { NewEvent } from '../../../shared/events/outbox.ts';
import { Failure } from '../../../shared/kernel/failure.ts';
import { hour, periodEnd, timestamp, utcHour } from '../../../shared/kernel/time.ts';
import { commitText } from '../../../shared/messages/daily-text-limit.ts';
import { messageCreated } from '../../../shared/messages/message-events.ts';
import { automaticText, newMessage } from '../../../shared/messages/new-message.ts';
import { queueActions } from '../../../shared/messages/queue-actions.ts';
import { organizationKey } from '../../../shared/organizations/organization.ts';
import { effectiveTextPolicy, textSettings } from '../../../shared/organizations/text-settings.ts';
import type { TrialPolicy } from '../../../shared/organizations/trial-policy.ts';
import type { Key } from '../../../shared/table/key.ts';
import { countingAction, type Limit } from '../../../shared/table/limit.ts';
import type { Action, TableReader, TableWriter } from '../../../shared/table/table.ts';

/** Milliseconds in which a contact gets one help message at most, so that two machines do not reply to each other forever. */
const pause = hour;

/** Help messages an hour from a number without a secret, whose texts anybody can send in the name of any number. */
const maxUnsigned = 20;

/** The organization's help message, and how many text messages it may send a day. */
export interface Help {
  readonly message: string;
  readonly limit: number;
}

/** The help for a message that asks for it; undefined if that is over an hour old, or the organization has no help message. */
export async function findHelpFor(
  table: TableReader,
  { receivedAt, now }: { receivedAt: Date; now: Date },
  trialPolicy: TrialPolicy,
): Promise<Help | undefined> {
  if (now.getTime() - receivedAt.getTime() > pause) {
    return undefined;
  }
  const [organization, settings] = await Promise.all([
    table.read(organizationKey()),
    table.read(textSettings.key),
  ]);
  const message = organization?.data.helpMessage;
  const { dailyLimit } = effectiveTextPolicy(settings?.data, trialPolicy);
  return message ? { message, limit: dailyLimit } : undefined;
}

interface Replying {
  /** The ids of the reply, and of its event or a later one. */
  readonly ids: { readonly message: string; readonly event: string | undefined };
  /** E.164. */
  readonly from: string;
  /** E.164. */
  readonly to: string;
  /** Whether the number has a secret, so that the text that asks for help is the provider's. */
  readonly isSigned: boolean;
  readonly now: Date;
}

/**
 * Commits the actions of a received message together with the actions that queue the reply, within the organization's daily limit.
 * A contact who has opted out gets the reply, too: it may say how to opt in again.
 * @returns false, having written nothing, when the contact got a help message within the last hour, or a limit is reached.
 * @throws what the commit throws otherwise.
 */
export async function commitWithHelpReply(
  table: TableWriter,
  { state: before, conversation }: { readonly state: ContactState; readonly conversation: Conversation },
  { message: content, limit }: Help,
  { ids, from, to, isSigned, now }: Replying,
  actionsTo: (state: ContactState, events: readonly NewEvent[]) => readonly Action[],
): Promise<boolean> {
  const { helpedAt } = conversation;
  if (helpedAt !== undefined && now.getTime() - Date.parse(helpedAt) < pause) {
    return false;
  }
  const at = timestamp(now);
  const reply = newMessage(
    before,
    automaticText(content, from),
    { owner: conversation.userId, conversation, helpedAt: at },
    { conversation: ids.message, ...ids },
    at,
  );
  const { state, message } = reply;
  const event = messageCreated(state.contact, reply.conversation, message);
  const actions = [
    ...actionsTo(state, [event]),
    ...queueActions(table, message, to, now, { evenIfOptedOut: true }),
    ...(isSigned ? [] : [countingAction(table, unsignedLimit(from, now), now)]),
  ];
  try {
    await commitText(table, actions, { contactId: message.contactId, limit, now });
    return true;
  } catch (error) {
    if (error instanceof Failure && error.code === 'TOO_MANY_ATTEMPTS') {
      return false;
    }
    throw error;
  }
}

const unsignedLimit = (number: string, now: Date): Limit => ({
  key: helpCounterKey(number, utcHour(now)),
  most: maxUnsigned,
  until: periodEnd(now, hour),
  refusal: 'Too many help messages from a number without a secret.',
});

/** Help messages that a number without a secret has sent in an hour (`2026-11-20T18`). */
export const helpCounterKey = (number: string, hourText: string): Key<never> => ({
  partition: ['TEXTS'],
  sort: ['HELP', number, hourText],
});
