import * as z from 'zod/mini';
import { stateOf } from '../../shared/contact-aggregate/contact-aggregate.ts';
import { contactWrites } from '../../shared/contact-aggregate/contact-writes.ts';
import { childId } from '../../shared/contacts/contact.ts';
import { PhoneNumber } from '../../shared/contacts/phone-number-field.ts';
import { messageKey } from '../../shared/conversations/conversation.ts';
import { MessageResponse } from '../../shared/conversations/message-response.ts';
import { toMessageResponse } from '../../shared/conversations/to-message-response.ts';
import { scheduleAction } from '../../shared/events/due-entry.ts';
import { eventAction } from '../../shared/events/outbox.ts';
import { userHere } from '../../shared/kernel/caller.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { Failure, notFound } from '../../shared/kernel/failure.ts';
import { given } from '../../shared/kernel/given.ts';
import { idAt } from '../../shared/kernel/id-at.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { changeResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { Id, isVisible } from '../../shared/kernel/schemas/fields.ts';
import { timestamp } from '../../shared/kernel/time.ts';
import { commitText } from '../../shared/messages/daily-text-limit.ts';
import { hasPlaceholder, pipelinesFor } from '../../shared/messages/fill-placeholders.ts';
import { messageCreated } from '../../shared/messages/message-events.ts';
import { newMessage } from '../../shared/messages/new-message.ts';
import { queueActions } from '../../shared/messages/queue-actions.ts';
import { dueMessage } from '../../shared/messages/scheduled-message.ts';
import { attachmentLimit, SmsText } from '../../shared/messages/sms-limits.ts';
import { findTemplate } from '../../shared/messages/template.ts';
import { type AttachedFiles, attachFiles, uploadsOf } from '../../shared/notes/attach-files.ts';
import { AttachmentFields } from '../../shared/notes/attachment-fields.ts';
import { assignmentsOf } from '../../shared/organizations/phone-assignments.ts';
import { textPolicyOf, textSettings } from '../../shared/organizations/text-settings.ts';
import { IsoDateTime } from '../../shared/organizations/written-times.ts';
import { zoneFor } from '../../shared/organizations/zone-for.ts';
import { filledText, resolveRecipient } from './model/recipient.ts';
import { sendTimeOf } from './model/send-time.ts';
import { senderNumber } from './model/sender.ts';
import { oneMoreTextOfWorkflows } from './model/texts-of-workflows.ts';

export default operation({
  route: 'POST /api/messages',
  summary: 'Send a text message to a contact',
  description: [
    'Everyone who can see the contact or its SMS conversation may send. The message is stored with the status `queued`, emits `message_created`, and is sent in the background, in order with others to the same contact; its status then becomes `sent` or `failed`, and changes as the provider reports: to `delivered`, `undelivered` or `failed`, and `read`. Each change emits `message_updated`, and a message that failed has the reason in `failure`; `POST /api/messages/{id}/retry` sends it again. While the provider cannot be reached, sending is tried again after one minute, after five more, and then every 15 minutes, and later messages to the contact wait; after an hour they no longer wait for a message that the provider does not take. A message that could not be sent within a day, for whatever reason, becomes `failed` a few days later at most.',
    "It goes to the number that the contact last wrote from, or else to the contact's primary number. It is sent from `from`, or else from your default number, or else from the number that the contact last wrote to, or else, if the operator of the service has allowed that for the organization, from the standard sender of the provider account. Only `active` numbers are used; without any to send from, the response is 409. A message that waits becomes `failed` if its number is removed from the organization meanwhile, or the standard sender is no longer allowed. A message to a number that has opted out, whichever contact had it then, is refused with 409.",
    'An organization has a limit of text messages a day (UTC), and can attach 100 GB of files a day. Beyond either, the response is 429, and `Retry-After` says when the next day begins. Until a SUPERADMIN approves it, it can attach 1 GB in all, counting each copy, unless the operator of the service has switched that off; beyond that, the response is 403.',
    'With `sendAt` the message is `scheduled`: it is listed in the conversation at that time, and until then is not its last message. At its time, to the second or at most a minute later, it is sent as if its author sent it then: the numbers that it is sent from (unless `from` names it) and to are chosen, and it counts towards the limit of that day. It becomes `failed`, with the reason, if by then the contact has opted out or has no number, its author is disabled, can no longer see the contact or has no active number (or no longer the one that `from` named), the limit is reached, or its time was more than a day ago. Placeholders are filled when the message is scheduled. `DELETE /api/messages/{id}` cancels it before its time.',
    'A text or a template may have the placeholders `{{firstName}}`, `{{lastName}}`, `{{fullName}}`, `{{contactName}}`, `{{email}}`, `{{phone}}`, `{{contact.<field>}}` with the other fields that workflows know (like `{{contact.stage}}`), and the names of custom fields, all in upper or lower case; those without a value are left empty, or become what stands after a bar: `{{firstName|there}}`. The name that the service gives to a contact, like `Unknown Caller`, counts as no value. Placeholders can reveal data of the contact, so only those who can see the contact may use them (404 otherwise). The text is stored in the Unicode normal form NFC, in which `é` is one character however it was typed.',
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
  example: { body: { contactId: demo.ada, content: 'Yes, we deliver on Saturdays. Shall we?' } },
  uses: {
    table: 'write',
    platform: 'write',
    identity: 'read',
    objects: 'newAttachments',
    newcomerPolicy: 'read',
  },
  async run({ body }, { table, platform, identity, objects, newcomerPolicy, caller, now, newId }) {
    const sendAt =
      body.sendAt === undefined ? undefined : sendTimeOf(body.sendAt, await zoneFor(table, body.sendAt), now);
    // Messages are listed in the order of their ids.
    const ids = { conversation: newId(), message: idAt(sendAt ?? now, newId()), event: newId() };
    const prepared = Promise.all([
      body.templateId === undefined ? undefined : findTemplate(table, caller, body.templateId),
      assignmentsOf(table, caller.userId),
      uploadsOf(objects, body.attachments),
      table.read(textSettings.key, { consistent: false }),
    ]);
    prepared.catch(() => undefined); // Used only if the caller may write to the contact.
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
      } = await resolveRecipient(table, caller, body.contactId);
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
      const [template, numbers, uploads, settings] = await prepared;
      const textPolicy = textPolicyOf(settings?.data, newcomerPolicy);
      const text = template?.data.template ?? body.content ?? '';
      const content = isToFill
        ? filledText(text, { contact, pipelines: await pipelinesFor(text, table) }, field)
        : text;
      const from = await senderNumber(identity, caller, numbers, known, textPolicy, body.from);
      copied ??= attachFiles(
        { table, objects, newcomerPolicy, now },
        { contactId: contact._id, recordId: childId(contact._id, ids.message) },
        body.attachments,
        uploads,
      );
      const { attachments: files, actions: fileActions } = await copied;

      const { state, conversation, message } = newMessage(
        stateOf(aggregate),
        {
          direction: 'outbound',
          content,
          attachments: files.map((file) => ({ ...file, url: '' })),
          sentBy: caller.userId,
          providerMessageId: null,
          ...given({ causedBy: table.causedBy }),
          ...(sendAt === undefined
            ? { status: 'queued', from }
            : { status: 'scheduled', sendAt: timestamp(sendAt), ...given({ from: body.from }) }),
        },
        { owner: userHere(caller) },
        ids,
        timestamp(now),
      );
      const { _id: messageId, conversationId, contactId } = message;
      const data = await toMessageResponse(message, objects);
      const actions = [
        ...contactWrites(table, aggregate, state),
        ...fileActions,
        eventAction(table, messageCreated(state.contact, conversation, data), ids.event, now),
      ];
      const due = dueMessage(table.organizationId, message);
      if (due !== undefined) {
        const added = table.add(messageKey(contactId, conversationId, messageId), message);
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
      await commitText(table, queued, { contactId, limit: textPolicy.dailyLimit, now });
      return ok({ message: 'Message queued', data });
    });
  },
});
