import * as z from 'zod/mini';
import { CallResponse } from '../calls/call-response.ts';
import { ApplicationResponse } from '../contact-aggregate/application-response.ts';
import { ContactResponse } from '../contacts/contact-response.ts';
import { MessageResponse } from '../conversations/message-response.ts';
import { JobResponse } from '../jobs/job-response.ts';
import { described } from '../kernel/schemas/descriptions.ts';
import { anyBoolean, anyString, dateTime } from '../kernel/schemas/fields.ts';
import { organizationEventSchemas } from '../organizations/organization-event-schemas.ts';
import { runStatuses } from '../workflows/run-statuses.ts';
import { notificationEventSchemas } from './notification-event-schemas.ts';

const stageIds = { contactId: anyString, pipelineId: anyString, stageId: anyString };
const stageIdDescriptions = {
  contactId: 'The contact.',
  pipelineId: 'The pipeline the contact is in.',
  stageId: 'The stage the contact is in.',
};
const contact = z.optional(ContactResponse);
const contactMeaning = 'The contact as it is now; absent if it does not fit into the frame.';

const callEvent = (description: string) =>
  described(
    z.object({
      callId: anyString,
      contactId: anyString,
      conversationId: anyString,
      call: z.optional(CallResponse),
    }),
    {
      callId: 'The call.',
      contactId: 'The contact on the other end.',
      conversationId: 'The voice conversation of the contact.',
      call: 'The call as it is now; absent if it does not fit into the frame.',
    },
    { description },
  );

/**
 * The data of each event, for the documentation and for the types of its writers. Functions import only the types. Source:
 * specification, "Events"; decisions 11.
 */
export const eventSchemas = {
  contact_created: described(
    z.object({ ...stageIds, contact }),
    { ...stageIdDescriptions, contact: contactMeaning },
    { description: 'A contact was created.' },
  ),
  contact_updated: described(
    z.object({
      contactId: anyString,
      pipelineId: z.optional(anyString),
      stageId: z.optional(anyString),
      contact,
      applicationId: z.optional(anyString),
      application: z.optional(z.nullable(ApplicationResponse)),
      fromApplicationStageId: z.optional(z.nullable(anyString)),
      conversationId: z.optional(anyString),
    }),
    {
      ...stageIdDescriptions,
      contact:
        'The contact as it is now, when fields of it changed; absent if it does not fit into the frame.',
      applicationId: 'If an application changed: its id.',
      application: 'That application as it is now; null once it is deleted.',
      fromApplicationStageId: 'The stage the application was in before; null for a new one.',
      conversationId: 'If a conversation changed: its id.',
    },
    {
      description:
        'Fields of a contact changed; or, with an `applicationId`, one of its applications was created, changed, moved or deleted; or, with a `conversationId`, one of its conversations was resolved, assigned or handed over.',
    },
  ),
  contact_stage_changed: described(
    z.object({ ...stageIds, contact, fromStageId: anyString, toStageId: anyString }),
    {
      ...stageIdDescriptions,
      contact: contactMeaning,
      fromStageId: 'The stage it left.',
      toStageId: 'The stage it entered.',
    },
    { description: 'A contact moved to another stage.' },
  ),
  contact_archived: described(z.object(stageIds), stageIdDescriptions, {
    description: 'A contact was archived: it left board, lists and searches.',
  }),
  contact_restored: described(
    z.object({ ...stageIds, contact }),
    {
      ...stageIdDescriptions,
      contact:
        'The contact as it is now; absent if it does not fit into the frame, or if a text, call or lead restored it.',
    },
    { description: 'A contact is archived no longer.' },
  ),
  contact_merged: described(
    z.object({ ...stageIds, mergedContactId: anyString, contact }),
    {
      ...stageIdDescriptions,
      contactId: 'The contact that has everything of both now.',
      mergedContactId: 'The contact that was merged into it, and is gone.',
      contact: contactMeaning,
    },
    {
      description:
        'A contact was merged into another one. Users who can see neither now get `contact_removed`.',
    },
  ),
  contact_removed: described(
    z.object({ contactId: anyString, pipelineId: z.optional(anyString), stageId: z.optional(anyString) }),
    {
      contactId: 'The contact.',
      pipelineId: 'The pipeline it was in, if known.',
      stageId: 'The stage it was in, if known.',
    },
    { description: 'A contact was deleted, or this user can no longer see it.' },
  ),
  lead_received: described(
    z.object({
      ...stageIds,
      contact,
      lead: described(
        z.object({
          configurationId: anyString,
          isNew: anyBoolean,
          changed: anyBoolean,
          applicationId: z.optional(anyString),
        }),
        {
          configurationId: 'The outreach configuration that it came by.',
          isNew: 'Whether it created the contact.',
          changed: 'Whether it created the contact, changed fields of it, or created an application.',
          applicationId: 'The application that was created for it; absent if none was.',
        },
      ),
    }),
    {
      ...stageIdDescriptions,
      contact: contactMeaning,
      lead: 'How the lead came, and what became of it.',
    },
    {
      description:
        'A lead was received, from somebody new or from a known contact, whether or not it said anything new. This event follows those of what the lead changed. A repetition of a lead is no event.',
    },
  ),
  call_initiated: callEvent(
    'A call began and has not been answered yet. A call that is answered when it is recorded begins with `call_answered`.',
  ),
  call_answered: callEvent('A call was answered, inbound or outbound.'),
  call_ended: callEvent('A call ended, whether or not it was answered.'),
  call_missed: callEvent('An inbound call ended without an answer. This event follows `call_ended`.'),
  call_updated: callEvent(
    'Something else about a call changed: it rings, it has a recording, or the text to the caller of a missed call was sent or cancelled.',
  ),
  message_created: described(
    z.object({
      messageId: anyString,
      conversationId: anyString,
      contactId: anyString,
      message: z.optional(MessageResponse),
    }),
    {
      messageId: 'The message.',
      conversationId: 'The conversation it is in.',
      contactId: 'The contact who wrote or receives it.',
      message: 'The message; absent if it does not fit into the frame.',
    },
    { description: 'A message was received or written.' },
  ),
  message_deleted: described(
    z.object({ messageId: anyString, conversationId: anyString, contactId: anyString }),
    {
      messageId: 'The message.',
      conversationId: 'The conversation it was in.',
      contactId: 'The contact who would have received it.',
    },
    { description: 'A message was deleted before it was sent.' },
  ),
  message_updated: described(
    z.object({
      messageId: anyString,
      conversationId: anyString,
      contactId: anyString,
      message: z.optional(MessageResponse),
    }),
    {
      messageId: 'The message.',
      conversationId: 'The conversation it is in.',
      contactId: 'The contact who receives it.',
      message: 'The message as it is now; absent if it does not fit into the frame.',
    },
    {
      description:
        'The status of an outbound message changed: it is now `queued` (one that was scheduled), `sent`, `delivered`, `undelivered`, `failed` or `read`. The events of one message come in the order of the changes.',
    },
  ),
  conversation_read: described(
    z.object({
      conversationId: anyString,
      contactId: anyString,
      readUpTo: z.nullable(anyString),
      unreadCount: z.int(),
    }),
    {
      conversationId: 'The conversation.',
      contactId: 'The contact it is with.',
      readUpTo: 'The message up to which this user has read; null if the conversation had none.',
      unreadCount: 'How many inbound messages were unread then; each one that arrives later adds one.',
    },
    { description: 'This user marked a conversation as read, here or on another device.' },
  ),
  note_created: described(
    z.object({
      noteId: anyString,
      contactId: anyString,
      userId: anyString,
      note: z.optional(anyString),
      mentions: z.array(anyString),
    }),
    {
      noteId: 'The note.',
      contactId: 'The contact it is about.',
      userId: 'The user who wrote it.',
      note: 'Its text; absent if it does not fit into the frame.',
      mentions: 'The users whom it mentions.',
    },
    { description: 'A note was written on a contact. Its files are read with `GET /api/contact-notes`.' },
  ),
  contacts_exported: described(
    z.object({ jobId: anyString, format: z.enum(['csv', 'json']) }),
    { jobId: 'The job of the export, which has its link.', format: 'The format of the file.' },
    {
      description: 'Somebody takes contacts out of the service. Administrators get it as the export begins.',
    },
  ),
  job_updated: described(
    z.object({ jobId: anyString, job: z.optional(JobResponse), changed: z.optional(z.literal(true)) }),
    {
      jobId: 'The job.',
      job: 'The job as it is now; absent if it does not fit into the frame.',
      changed:
        'The job has changed more contacts than there were events for this connection: load again what is shown.',
    },
    {
      description:
        'A job went on or ended, which its creator is told; or, with `changed`, it has changed contacts so fast that connections got only 20 of its events in a second, which those are told who may see the others. Each comes at most once a second.',
    },
  ),
  ...notificationEventSchemas,
  ...organizationEventSchemas,
  workflow_run_updated: described(
    z.object({
      runId: anyString,
      workflowId: anyString,
      contactId: anyString,
      revision: z.int(),
      status: z.enum(runStatuses),
    }),
    {
      runId: 'The run.',
      workflowId: 'The workflow.',
      contactId: 'The contact it is for.',
      revision: 'Which revision of the workflow it follows.',
      status: 'Where it stands now.',
    },
    {
      description:
        'A run of a workflow started or was retried (`running`), waits (`waiting`), or ended (`finished`, `failed` or `cancelled`). No event says that it continues after a wait; the next one comes when it waits again or ends. Everybody who may see the workflow gets it, with ids only: the run itself shows what it did, to those who may see its contact.',
    },
  ),
  workflow_updated: described(
    z.object({
      workflowId: anyString,
      userId: anyString,
      change: z.enum(['created', 'updated', 'toggled', 'deleted']),
      name: anyString,
      enabled: anyBoolean,
      updatedAt: dateTime,
      changed: z.optional(z.array(anyString)),
    }),
    {
      workflowId: 'The workflow.',
      userId: 'The user who owns it.',
      change: 'What happened to it.',
      name: 'Its name.',
      enabled: 'Whether the workflow can be triggered.',
      updatedAt: 'When it changed.',
      changed: 'The names of its properties that changed; absent if they do not fit into the frame.',
    },
    { description: 'A workflow was created, changed or deleted.' },
  ),
};

export type EventData = {
  readonly [Name in keyof typeof eventSchemas]: z.input<(typeof eventSchemas)[Name]>;
};
