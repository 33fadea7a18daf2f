import * as z from 'zod/mini';
import { contactWrites } from '../../shared/contact-aggregate/contact-writes.ts';
import { restoredState } from '../../shared/contact-aggregate/find-or-create-contact.ts';
import { contactRestored } from '../../shared/contacts/contact-events.ts';
import { PhoneNumber } from '../../shared/contacts/phone-number-field.ts';
import { buildMessageResponse } from '../../shared/conversations/build-message-response.ts';
import { messageKey } from '../../shared/conversations/conversation.ts';
import { MessageResponse } from '../../shared/conversations/message-response.ts';
import { scheduleAction } from '../../shared/events/due-entry.ts';
import { eventActions } from '../../shared/events/outbox.ts';
import { userHere } from '../../shared/kernel/caller.ts';
import { childId, contactIdIn } from '../../shared/kernel/child-id.ts';
import { definedOnly } from '../../shared/kernel/defined-only.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { Failure, notFound } from '../../shared/kernel/failure.ts';
import { idAt } from '../../shared/kernel/id-at.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { readAhead } from '../../shared/kernel/read-ahead.ts';
import { changeResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { Id, isVisible } from '../../shared/kernel/schemas/fields.ts';
import { timestamp } from '../../shared/kernel/time.ts';
import { commitText, countQueuedOn, textLimit } from '../../shared/messages/daily-text-limit.ts';
import { hasPlaceholder, readPipelinesFor } from '../../shared/messages/fill-placeholders.ts';
import { messageCreated } from '../../shared/messages/message-events.ts';
import { newMessage } from '../../shared/messages/new-message.ts';
import { queueActions } from '../../shared/messages/queue-actions.ts';
import { dueMessage } from '../../shared/messages/scheduled-message.ts';
import { attachmentLimit, SmsText } from '../../shared/messages/sms-limits.ts';
import { findTemplate } from '../../shared/messages/template.ts';
import { type AttachedFiles, attachFiles, findUploads } from '../../shared/notes/attach-files.ts';
import { fileLimits } from '../../shared/notes/attached-bytes.ts';
import { AttachmentFields } from '../../shared/notes/attachment-fields.ts';
import { readAssignments } from '../../shared/organizations/phone-assignments.ts';
import { effectiveTextPolicy, textSettings } from '../../shared/organizations/text-settings.ts';
import { IsoDateTime } from '../../shared/organizations/written-times.ts';
import { readZoneFor } from '../../shared/organizations/zone-for.ts';
import { filledText, resolveRecipient } from './model/recipient.ts';
import { parseSendTime } from './model/send-time.ts';
import { findSenderNumber } from './model/sender.ts';
import { oneMoreTextOfWorkflows } from './model/texts-of-workflows.ts';

export default operation({
  route: 'POST /api/messages',
  summary: 'Send a text message to a contact',
  tool: {
    name: 'send_message',
    when: 'To answer or write to a contact by text. A person gets it, and it cannot be taken back: read the conversation first.',
  },
  description: [
    'Everyone who can see the contact or its SMS conversation may send. The message is stored as `queued`, or with `sendAt` as `scheduled`, emits `message_created`, and is sent in the background, in order with others to the contact; each change of its status emits `message_updated`.',
    'Without an active number to send from, and to a number that has opted out, the response is 409. Beyond a daily limit it is 429, and `Retry-After` says when the next day begins; beyond the limit of files before a SUPERADMIN approves the organization, 403.',
    'A text or a template may have placeholders, like `{{firstName|there}}`; they require that you can see the contact (404 otherwise). [Messages](#/Messages) explains them, statuses, numbers, limits and `sendAt`.',
  ].join('\n\n'),
  family: 'plain',
  minimumRole: 'SALES_REP',
  asStep: true,
  status: 201,
  body: z
    .object({
      contactId: Id,
      content: z.optional(SmsText),
      templateId: z.optional(Id),
      conversationId: z.optional(Id),
      from: z.optional(PhoneNumber),
      sendAt: z.optional(IsoDateTime),
      attachments: z._default(z.array(AttachmentFields).check(z.maxLength(attachmentLimit)), []),
    })
    .check(
      z.refine(({ content, templateId }) => content === undefined || templateId === undefined, {
        path: ['content'],
        error: 'and templateId cannot be sent together',
      }),
      z.refine(
        ({ content = '', templateId, attachments }) =>
          isVisible(content) || templateId !== undefined || attachments.length > 0,
        { path: ['content'], error: 'is required unless there is a templateId or an attachment' },
      ),
    ),
  descriptions: {
    contactId: 'The contact to write to.',
    content: 'The text; at most 1,600 characters, also once its placeholders are filled.',
    templateId:
      'A template to fill for the contact, instead of `content`; at most 1,600 characters once filled.',
    conversationId: "The contact's SMS conversation; any other is refused with 404.",
    from: 'The number to send it from, in any usual notation: one of your own active numbers; any other is refused with 409.',
    sendAt:
      'When to send it, if not now: in the future, and at most a year ahead. A time without an offset is in the time zone of the organization.',
    attachments: 'At most 10 uploaded files (`POST /api/upload`); the message gets a copy of each.',
  },
  output: changeResponse(MessageResponse),
  failures: ['NOT_FOUND', 'CONFLICT', 'TOO_MANY_ATTEMPTS'],
  limits: [textLimit, fileLimits.attached],
  example: { body: { contactId: demo.ada, content: 'Yes, we deliver on Saturdays. Shall we?' } },
  uses: {
    table: 'write',
    platform: 'write',
    identity: 'read',
    objects: 'newAttachments',
    trialPolicy: 'read',
  },
  async run({ body }, { table, platform, identity, objects, trialPolicy, caller, now, newId }) {
    const sendAt =
      body.sendAt === undefined
        ? undefined
        : parseSendTime(body.sendAt, await readZoneFor(table, body.sendAt), now);
    // Messages are listed in the order of their ids.
    const events = [newId(), newId()].sort();
    const ids = {
      conversation: newId(),
      message: idAt(sendAt ?? now, newId()),
      event: events.at(-1),
    };
    const prepared = readAhead(
      Promise.all([
        body.templateId === undefined ? undefined : findTemplate(table, caller, body.templateId),
        readAssignments(table, caller.userId),
        findUploads(objects, body.attachments),
        table.read(textSettings.key, { consistent: false }),
        sendAt === undefined && table.causedBy === undefined
          ? countQueuedOn(table, now, { consistent: false })
          : undefined,
      ]),
    );
    let copied: Promise<AttachedFiles> | undefined;
    const field = body.templateId === undefined ? 'content' : 'templateId';
    // The text of a workflow is filled already: what a contact is called is text, and no placeholder.
    const isToFill =
      field === 'templateId' || (hasPlaceholder(body.content ?? '') && table.causedBy === undefined);

    return table.optimistically(async () => {
      const {
        aggregate,
        conversation: known,
        to,
        seesContact,
      } = await resolveRecipient(table, caller, body.contactId, body.conversationId);
      const contact = aggregate.contact.data;
      if (isToFill && !seesContact) {
        throw notFound('Contact');
      }
      if (body.conversationId !== undefined && body.conversationId !== known?._id) {
        throw new Failure('NOT_FOUND', "conversationId is not the id of the contact's SMS conversation");
      }
      if (to === undefined) {
        throw new Failure('INVALID', 'contactId must be the id of a contact with a phone number');
      }
      const [template, numbers, uploads, settings, counted] = await prepared;
      const textPolicy = effectiveTextPolicy(settings?.data, trialPolicy);
      const text = template?.data.template ?? body.content ?? '';
      const content = isToFill
        ? filledText(text, { contact, pipelines: await readPipelinesFor(text, table) }, field)
        : text;
      const from = await findSenderNumber(identity, caller, numbers, known, textPolicy, body.from);
      const homeId = known === undefined ? contact._id : contactIdIn(known._id);
      copied ??= attachFiles(
        { table, objects, trialPolicy, now },
        { contactId: homeId, recordId: childId(homeId, ids.message) },
        body.attachments,
        uploads,
      );
      const { attachments: files, actions: fileActions } = await copied;

      const { state, conversation, message } = newMessage(
        restoredState(aggregate, timestamp(now)),
        {
          direction: 'outbound',
          content,
          attachments: files.map((file) => ({ ...file, url: '' })),
          sentBy: caller.userId,
          providerMessageId: null,
          ...definedOnly({ causedBy: table.causedBy }),
          ...(sendAt === undefined
            ? { status: 'queued', from }
            : { status: 'scheduled', sendAt: timestamp(sendAt), ...definedOnly({ from: body.from }) }),
        },
        { owner: userHere(caller), conversation: known, address: to },
        ids,
        timestamp(now),
      );
      const { _id: messageId, conversationId, contactId } = message;
      const data = await buildMessageResponse(message, objects);
      const told = [
        ...(contact.archivedAt === undefined ? [] : [contactRestored(state.contact)]),
        messageCreated(state.contact, conversation, data),
      ];
      const actions = [
        ...contactWrites(table, aggregate, state),
        ...fileActions,
        ...eventActions(table, told, events.slice(-told.length), now),
      ];
      const due = dueMessage(table.organizationId, message);
      if (due !== undefined) {
        const added = table.add(messageKey(conversationId, messageId), message);
        const isFromElsewhere = userHere(caller) === null;
        const author = isFromElsewhere ? { userOrganizationId: caller.homeOrganizationId } : {};
        await table.commit([...actions, added, scheduleAction(platform, { ...due, ...author })]);
        return ok({ message: 'Message scheduled', data });
      }
      const queued = [
        ...actions,
        ...queueActions(table, message, to, now),
        ...(table.causedBy === undefined ? [] : [oneMoreTextOfWorkflows(table, to, now)]),
      ];
      await commitText(table, queued, { contactId, limit: textPolicy.dailyLimit, queued: counted, now });
      return ok({ message: 'Message queued', data });
    });
  },
});
