import type { ContactState } from '../../../shared/contact-aggregate/contact-aggregate.ts';
import { hasOptedOut } from '../../../shared/contacts/consent.ts';
import type { Conversation } from '../../../shared/conversations/conversation.ts';
import { Failure } from '../../../shared/kernel/failure.ts';
import { hour, timestamp } from '../../../shared/kernel/time.ts';
import type { NewEvent } from '../../../shared/live/outbox.ts';
import { messageCreated } from '../../../shared/messages/message-events.ts';
import { newMessage } from '../../../shared/messages/new-message.ts';
import { queueSteps } from '../../../shared/messages/queue-steps.ts';
import { commitText } from '../../../shared/messages/text-quota.ts';
import { allowanceOf, textSettings } from '../../../shared/messages/text-settings.ts';
import type { NewcomerPolicy } from '../../../shared/organizations/newcomer-policy.ts';
import { organizationKey } from '../../../shared/organizations/organization.ts';
import type { Step, TableReader, TableWriter } from '../../../shared/table/table.ts';
import { asksForHelp } from './consent.ts';

/** Milliseconds in which a contact gets one help message at most, so that two machines do not answer each other for ever. */
const pause = hour;

/** What an organization answers to somebody who asks for help, and how many text messages it may send a day. */
export interface Help {
  readonly message: string;
  readonly limit: number;
}

/** The organization's answer to this message; undefined if it asks for no help, came long ago, or the organization has no help message. */
export async function helpFor(
  table: TableReader,
  { content, receivedAt, now }: { content: string; receivedAt: Date; now: Date },
  newcomerPolicy: NewcomerPolicy,
): Promise<Help | undefined> {
  if (!asksForHelp(content) || now.getTime() - receivedAt.getTime() > pause) {
    return undefined;
  }
  const [organization, settings] = await Promise.all([
    table.read(organizationKey()),
    table.read(textSettings.key),
  ]);
  const message = organization?.data.helpMessage;
  const { dailyLimit } = allowanceOf(settings?.data ?? textSettings.initial, newcomerPolicy);
  return message ? { message, limit: dailyLimit } : undefined;
}

/**
 * Commits the steps to this state together with those that queue the answer, within the organization's limit of the day.
 * @returns false, having written nothing, when the contact has opted out or got an answer a short while ago, or the limit is reached.
 * @throws what the commit throws otherwise.
 */
export async function answered(
  table: TableWriter,
  { state: before, conversation }: { readonly state: ContactState; readonly conversation: Conversation },
  { message: content, limit }: Help,
  {
    id,
    from,
    to,
    now,
  }: { readonly id: string; readonly from: string; readonly to: string; readonly now: Date },
  stepsTo: (state: ContactState, events: readonly NewEvent[]) => readonly Step[],
): Promise<boolean> {
  const { helpedAt } = conversation;
  const isRecent = helpedAt !== undefined && now.getTime() - Date.parse(helpedAt) < pause;
  if (isRecent || hasOptedOut(before.contact)) {
    return false;
  }
  const at = timestamp(now);
  const answer = newMessage(
    before,
    {
      direction: 'outbound',
      content,
      attachments: [],
      status: 'queued',
      sentBy: null,
      providerMessageId: null,
      from,
    },
    { owner: conversation.userId, helpedAt: at },
    { conversation: id, message: id },
    at,
  );
  const { state, message } = answer;
  const event = messageCreated(state.contact, answer.conversation, message);
  const steps = [...stepsTo(state, [event]), ...queueSteps(table, message, to, now)];
  try {
    await commitText(table, steps, { contactId: message.contactId, limit, now });
    return true;
  } catch (error) {
    if (error instanceof Failure && error.code === 'TOO_MANY_ATTEMPTS') {
      return false;
    }
    throw error;
  }
}
