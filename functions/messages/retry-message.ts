import { toContactState } from '../../shared/contact-aggregate/contact-aggregate.ts';
import { contactWrites } from '../../shared/contact-aggregate/contact-writes.ts';
import { buildMessageResponse } from '../../shared/conversations/build-message-response.ts';
import type { Message } from '../../shared/conversations/conversation.ts';
import { MessageResponse } from '../../shared/conversations/message-response.ts';
import { eventAction } from '../../shared/events/outbox.ts';
import { userHere } from '../../shared/kernel/caller.ts';
import { definedOnly } from '../../shared/kernel/defined-only.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { Failure } from '../../shared/kernel/failure.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { readAhead } from '../../shared/kernel/read-ahead.ts';
import { changeResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { timestamp } from '../../shared/kernel/time.ts';
import { commitText, countQueuedOn, textLimit } from '../../shared/messages/daily-text-limit.ts';
import { messageCreated } from '../../shared/messages/message-events.ts';
import { newMessage } from '../../shared/messages/new-message.ts';
import { queueActions } from '../../shared/messages/queue-actions.ts';
import { readAssignments } from '../../shared/organizations/phone-assignments.ts';
import { effectiveTextPolicy, textSettings } from '../../shared/organizations/text-settings.ts';
import type { Stored } from '../../shared/table/table.ts';
import { findMessage } from './model/find-message.ts';
import { requireRecipientNumber } from './model/recipient.ts';
import { findSenderNumber } from './model/sender.ts';

/** The 409 for a message that was already sent again, which names the newer one. */
const alreadyRetried = (messageId: string) =>
  new Failure(
    'CONFLICT',
    'The message has already been retried. If the newer message failed too, retry that one.',
    {
      details: { messageId },
    },
  );

export default operation({
  route: 'POST /api/messages/{id}/retry',
  summary: 'Retry a message that failed',
  description: [
    'Only for a message that is `failed` or `undelivered`; for any other, the response is 409. Makes a new message with the same text and files and with `retryOf`, in the same conversation; the old one stays as it is. Everyone who can see the conversation may do this. Emits `message_created`.',
    'A message is retried once: after that, and for all but one of several requests at the same time, the response is 409 with the `messageId` of the newer message. Otherwise it is like [a new message](#/Messages) of yours: it counts towards the daily limit, and it is refused with 409 if the contact has opted out or has no number.',
  ].join('\n\n'),
  family: 'plain',
  minimumRole: 'SALES_REP',
  status: 201,
  output: changeResponse(MessageResponse),
  failures: ['NOT_FOUND', 'CONFLICT', 'TOO_MANY_ATTEMPTS'],
  limits: [textLimit],
  detailedFailures: [
    {
      example: alreadyRetried(demo.failedMessage),
      details: {
        messageId: { description: 'For a message that has already been retried: the newer message.' },
      },
    },
  ],
  example: { path: { id: demo.failedMessage } },
  uses: { table: 'write', identity: 'read', objects: 'attachments', trialPolicy: 'read' },
  async run({ path }, { table, identity, objects, trialPolicy, caller, now, newId }) {
    const ids = { conversation: newId(), message: newId(), event: newId() };
    const prepared = readAhead(
      Promise.all([
        readAssignments(table, caller.userId),
        table.read(textSettings.key, { consistent: false }),
        countQueuedOn(table, now, { consistent: false }),
      ]),
    );

    return table.optimistically(async () => {
      const {
        aggregate,
        conversation: known,
        stored,
      } = await findMessage(table, caller, path.id, {
        hasPrevious: false,
      });
      const contact = aggregate.contact.data;
      const to = requireRecipientNumber(contact, known);
      const [numbers, settings, queued] = await prepared;
      const textPolicy = effectiveTextPolicy(settings?.data, trialPolicy);
      const from = await findSenderNumber(identity, caller, numbers, known, textPolicy);
      const failed = requireFailed(stored);
      if (to === undefined) {
        throw new Failure('CONFLICT', 'The contact no longer has a phone number.');
      }

      const { content, attachments, causedBy } = failed.data;
      const { state, conversation, message } = newMessage(
        toContactState(aggregate),
        {
          direction: 'outbound',
          content,
          attachments,
          status: 'queued',
          sentBy: caller.userId,
          providerMessageId: null,
          from,
          retryOf: path.id,
          // The run that sent the text first is still the cause of what follows from it.
          ...definedOnly({ causedBy }),
        },
        { owner: userHere(caller), conversation: known },
        ids,
        timestamp(now),
      );
      const data = await buildMessageResponse(message, objects);
      const actions = [
        ...contactWrites(table, aggregate, state),
        // All simultaneous retries but one get a version conflict here, and find the other in their next attempt.
        table.replace(failed, { ...failed.data, retriedBy: message._id }),
        ...queueActions(table, message, to, now),
        eventAction(
          table,
          { ...messageCreated(state.contact, conversation, data), causedBy },
          ids.event,
          now,
        ),
      ];
      await commitText(table, actions, { contactId: contact._id, limit: textPolicy.dailyLimit, queued, now });
      return ok({ message: 'Message queued', data });
    });
  },
});

/** @throws a 409 `Failure` for one that did not fail, or that was already sent again. */
function requireFailed(stored: Stored<Message>): Stored<Message> {
  const { status, retriedBy } = stored.data;
  if (retriedBy !== undefined) {
    throw alreadyRetried(retriedBy);
  }
  if (status !== 'failed' && status !== 'undelivered') {
    throw new Failure('CONFLICT', `Only a message that failed can be retried, and this one is ${status}.`);
  }
  return stored;
}
