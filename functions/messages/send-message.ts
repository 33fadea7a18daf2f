import * as z from 'zod/mini';
import { stateOf } from '../../shared/contact-aggregate/contact-aggregate.ts';
import { contactWrites } from '../../shared/contact-aggregate/contact-writes.ts';
import { messageKey } from '../../shared/conversations/conversation.ts';
import { MessageResponse } from '../../shared/conversations/message-response.ts';
import { attachmentUrl, toMessageResponse } from '../../shared/conversations/to-message-response.ts';
import * as demo from '../../shared/demo-ids.ts';
import { changeResponse, ok } from '../../shared/kernel/envelope.ts';
import { notFound } from '../../shared/kernel/failure.ts';
import { Id } from '../../shared/kernel/fields.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { eventStep } from '../../shared/live/outbox.ts';
import { assignmentsOf, defaultAssignment } from '../../shared/organizations/phone-assignments.ts';
import { findTemplate } from '../../shared/templates/template.ts';
import { after, hour, second, timestamp } from '../../shared/time.ts';
import { AttachmentFields, attached, headsOf } from '../../shared/uploads/attachments.ts';
import { messageCreated } from './model/message-events.ts';
import { outboundMessage } from './model/outbound-message.ts';
import { type QueuedMessage, queuedFor, queuedMessageKey } from './model/queued-message.ts';
import { answeringNumber, filled, recipientNumber, resolveRecipient } from './model/recipient.ts';
import { attachmentLimit, SmsText } from './model/sms-limits.ts';

/** How long the provider can fetch an attachment: an hour longer than a message waits to be sent. */
const mediaLifetime = (queuedFor + hour) / second;

export default operation({
  route: 'POST /api/messages',
  summary: 'Send a text message to a contact',
  description: [
    'Everyone who can see the contact or its SMS conversation may send. The message is stored and told as `message_created` with the status `queued`, and sent in the background, in order with others to the same number; then its status is `sent`, or `failed`. A provider that cannot be reached is tried six times; what could not be sent within a day, for whatever reason, has `failed` a few days later at most.',
    'It goes to the number that the contact wrote from last, else to the primary one; and comes from the default number of the caller, else from the one that the contact wrote to last, else from the standard sender of the provider account. To a contact who opted out: 409.',
    'Placeholders of a template: `{{firstName}}`, `{{lastName}}`, `{{fullName}}`, `{{contactName}}`, `{{email}}`, `{{phone}}` and the names of custom fields; what the contact does not have becomes nothing. Since it tells of the contact, only those who can see the contact may use one: 404 otherwise.',
  ].join('\n\n'),
  family: 'plain',
  minimumRole: 'SALES_REP',
  status: 201,
  body: z
    .object({
      contactId: Id,
      content: z.optional(SmsText),
      templateId: z.optional(Id),
      conversationId: z.optional(Id),
      attachments: z._default(z.array(AttachmentFields).check(z.maxLength(attachmentLimit)), []),
    })
    .check(
      z.refine(({ content, templateId }) => content === undefined || templateId === undefined, {
        path: ['content'],
        error: 'and templateId exclude each other',
      }),
      z.refine(
        ({ content = '', templateId, attachments }) =>
          content.trim() !== '' || templateId !== undefined || attachments.length > 0,
        { path: ['content'], error: 'is required unless there is a templateId or an attachment' },
      ),
    ),
  descriptions: {
    contactId: 'The contact to write to.',
    content: 'At most 1,600 characters, kept as it is.',
    templateId: 'A template to fill for the contact, in place of `content`; at most 1,600 characters then.',
    conversationId: 'The SMS conversation of the contact, as a check; 404 for any other.',
    attachments: 'At most 10 uploaded files (`POST /api/upload`).',
  },
  output: changeResponse(MessageResponse),
  failures: ['NOT_FOUND', 'CONFLICT'],
  example: { body: { contactId: demo.ada, content: 'Yes, we deliver on Saturdays. Shall we?' } },
  uses: { table: 'write', identity: 'read', objects: 'attachments' },
  async run({ body }, { table, identity, objects, caller, now, newId }) {
    const ids = { conversation: newId(), message: newId(), event: newId() };
    const prepared = Promise.all([
      body.templateId === undefined ? undefined : findTemplate(table, caller, body.templateId),
      assignmentsOf(table, caller.userId),
      headsOf(objects, body.attachments),
    ]);
    prepared.catch(() => undefined); // Used only if the contact may be written to.

    return table.optimistically(async () => {
      const {
        aggregate,
        conversation: known,
        seesContact,
      } = await resolveRecipient(table, caller, body.contactId);
      const contact = aggregate.contact.data;
      if (body.templateId !== undefined && !seesContact) {
        throw notFound('Contact');
      }
      if (body.conversationId !== undefined && body.conversationId !== known?._id) {
        throw notFound('Conversation');
      }
      const to = recipientNumber(contact, known);
      const [template, numbers, heads] = await prepared;
      const content = template === undefined ? (body.content ?? '') : filled(template.data.template, contact);
      const files = attached(body.attachments, heads);
      const from =
        defaultAssignment(numbers)?.phoneNumber ?? (await answeringNumber(identity, caller, known));

      const { state, conversation, message } = outboundMessage(
        stateOf(aggregate),
        { content, attachments: files, sentBy: caller },
        ids,
        timestamp(now),
      );
      const { _id: messageId, conversationId, contactId } = message;
      const mediaUrls = await Promise.all(files.map((file) => attachmentUrl(file, objects, mediaLifetime)));
      const queued: QueuedMessage = { messageId, conversationId, contactId, from, to, content, mediaUrls };
      const data = await toMessageResponse(message, objects);
      await table.commit([
        ...contactWrites(table, aggregate, state),
        table.add(messageKey(contactId, conversationId, messageId), message),
        table.add(queuedMessageKey(contactId, messageId), queued, { expiresAt: after(now, queuedFor) }),
        eventStep(table, messageCreated(state.contact, conversation, data), ids.event, now),
      ]);
      return ok({ message: 'Message queued', data });
    });
  },
});
