import * as z from 'zod/mini';
import { CustomFields } from '../../../../shared/contacts/custom-fields.ts';
import { channels } from '../../../../shared/conversations/conversation.ts';
import { described } from '../../../../shared/kernel/schemas/descriptions.ts';
import { Id, isNotEmpty, Name, nameLimit, nonEmptyString } from '../../../../shared/kernel/schemas/fields.ts';
import { hasPlaceholder } from '../../../../shared/messages/fill-placeholders.ts';
import { smsLimit } from '../../../../shared/messages/sms-limits.ts';
import { NoteText, noteLimit } from '../../../../shared/notes/note-fields.ts';
import { IsoMoment } from '../../../../shared/organizations/written-times.ts';
import {
  Duration,
  noneIfEmptyIn,
  stageFields,
  stageReferences,
  UserOrPlaceholder,
  userReferences,
} from './node-fields.ts';
import { nodeType } from './node-type.ts';
import { windows } from './plan.ts';

/** Much longer than a text may be: a placeholder without a value leaves nothing in the filled text. */
const Content = NoteText.check(isNotEmpty, z.meta({ minLength: 1 }));

const SendMessageData = described(
  z
    .object({
      template: z.optional(Id),
      content: z.optional(Content),
      from: z.optional(noneIfEmptyIn(nonEmptyString(nameLimit))),
      window: z.optional(z.enum(windows)),
    })
    .check(
      z.refine(({ template, content }) => (template === undefined) !== (content === undefined), {
        path: ['template'],
        error: 'or content is required, and not both',
      }),
    ),
  {
    template: 'The id of a template that the owner of the workflow may use.',
    content: `The text, if there is no \`template\`; with placeholders, and at most ${smsLimit} characters once they are filled.`,
    from: "The number to send it from: one of the owner's own active numbers, the default one unless stated. May be a placeholder, like `{{event.to}}`.",
    window:
      '`business_hours`: only while the organization is open; skipped otherwise. `any`: at any time. What the settings of the workflow say, unless stated.',
  },
  { oneOf: [{ required: ['template'] }, { required: ['content'] }] },
);

export const sendMessage = nodeType<z.output<typeof SendMessageData>>({
  type: 'sendMessage',
  title: 'Send a text message',
  description:
    "Sends a text to the contact as `POST /api/messages` does, from the owner of the workflow. Skipped with `opted_out` if the contact has opted out of texts, `no_number` if it has no number, `template_gone` if the owner may use no such template, `template_changed` if somebody without the rights of the owner has changed its text since the workflow was saved or enabled, `outside_hours` if it may be sent in business hours only, `rate_of_contact` if workflows have sent the number 5 texts within an hour or 20 within a day. The step has the message's `messageId`.",
  schema: SendMessageData,
  actsAsOwner: true,
  needsContact: true,
  references: ({ template, from }) => [
    ...(template === undefined ? [] : [{ kind: 'template', id: template, path: 'template' } as const]),
    ...(from === undefined || hasPlaceholder(from)
      ? []
      : [{ kind: 'number', id: from, path: 'from' } as const]),
  ],
  sendsByDefault: ({ from }) => from === undefined,
});

const NotifyUserData = described(
  z.object({ userId: z.optional(UserOrPlaceholder), message: nonEmptyString(noteLimit) }),
  {
    userId:
      "The user to notify; the contact's owner by default. May be a placeholder, like `{{event.userId}}`.",
    message: 'What to say; with placeholders. A notification shows its beginning.',
  },
);

export const notifyUser = nodeType<z.output<typeof NotifyUserData>>({
  type: 'notifyUser',
  title: 'Notify a user',
  description:
    "Stores a notification of the type `automation` as `POST /api/notifications` does. A user who is disabled, has turned off `automationTriggers` or cannot see the contact gets none; the step then has the reason. Skipped with `no_user` if no user is named and the contact has no owner, and `user_gone` if the user is not in the organization. The step has the notification's `notificationId`.",
  schema: NotifyUserData,
  actsAsOwner: true,
  needsContact: true,
  references: ({ userId }) => userReferences([['userId', userId]]),
});

/** The most for which the note and its notifications fit into the transaction of a step. */
const maxMentions = 20;

const AddNoteData = described(
  z.object({
    note: NoteText.check(isNotEmpty, z.meta({ minLength: 1 })),
    mentions: z.optional(z.array(UserOrPlaceholder).check(z.maxLength(maxMentions))),
  }),
  {
    note: 'Markdown or plain text with placeholders.',
    mentions:
      'Ids of users to mention, at most 20; each is notified once. May be placeholders, like `{{contact.owner}}`.',
  },
);

export const addNote = nodeType<z.output<typeof AddNoteData>>({
  type: 'addNote',
  title: 'Add a note',
  description:
    "Writes a note on the contact as `POST /api/contact-notes` does, as the owner of the workflow. Skipped with `user_gone` if a mentioned user is not in the organization. The step has the note's `noteId`.",
  schema: AddNoteData,
  actsAsOwner: true,
  needsContact: true,
  references: ({ mentions = [] }) =>
    userReferences(mentions.map((id, index) => [`mentions[${index}]`, id] as const)),
});

const CreateApplicationData = described(
  z.object({
    name: Name,
    ...stageFields,
    stage: z.optional(Name),
    customFields: z.optional(CustomFields),
  }),
  {
    name: 'What the contact applies for; with placeholders.',
    pipelineId: 'An Application pipeline; the active one by default.',
    stage: 'The stage to enter, by id or by name; the first one by default.',
    customFields: 'Any JSON values by name; strings in them may contain placeholders.',
  },
);

export const createApplication = nodeType<z.output<typeof CreateApplicationData>>({
  type: 'createApplication',
  title: 'Create an application',
  description:
    "Creates an application of the contact as `POST /api/applications` does. Skipped with `pipeline_gone` or `stage_gone` if there is no such Application pipeline or stage. The step has the application's `applicationId`, and a later `moveApplication` of the run moves it.",
  schema: CreateApplicationData,
  actsAsOwner: true,
  needsContact: true,
  references: (data) => stageReferences(data, 'Application'),
});

const MoveApplicationData = described(z.object(stageFields), {
  pipelineId:
    'The Application pipeline of the stage. By default, a name is one in the pipeline that the application is in.',
  stage: 'The stage to move to, by id or by name.',
});

export const moveApplication = nodeType<z.output<typeof MoveApplicationData>>({
  type: 'moveApplication',
  title: 'Move an application to a stage',
  description:
    "Moves the run's own application as `PUT /api/applications/{id}/stage` does: the one that an earlier `createApplication` of the run made, the last of them; else the one that the event of the run is about; without either the contact's newest. Skipped with `no_application` if there is none, or if the run's own is gone, and `pipeline_gone` or `stage_gone` if there is no such Application pipeline or stage. The step has its `applicationId`.",
  schema: MoveApplicationData,
  asksStepsOf: ['createApplication'],
  actsAsOwner: true,
  needsContact: true,
  references: (data) => stageReferences(data, 'Application'),
});

const CreateReminderData = described(
  z
    .object({
      note: nonEmptyString(noteLimit),
      in: z.optional(Duration),
      remindAt: z.optional(
        noneIfEmptyIn(
          nonEmptyString(nameLimit).check(
            z.refine(
              (text) => hasPlaceholder(text) || IsoMoment.safeParse(text).success,
              'must be an ISO 8601 date or date-time, or a placeholder',
            ),
            z.meta({ pattern: String.raw`\{\{[^{}]*\}\}|^\s*\d{4}-\d\d-\d\d` }),
          ),
        ),
      ),
    })
    .check(
      z.refine((data) => (data.in === undefined) !== (data.remindAt === undefined), {
        path: ['in'],
        error: 'or remindAt is required, and not both',
      }),
    ),
  {
    note: 'What to do; with placeholders.',
    in: 'How long after this step.',
    remindAt:
      'When, instead of `in`: a date-time, a date for the beginning of that day, or a placeholder for one, like `{{contact.customFields.renewal}}`; without an offset, in the time zone of the organization.',
  },
  { oneOf: [{ required: ['in'] }, { required: ['remindAt'] }] },
);

export const createReminder = nodeType<z.output<typeof CreateReminderData>>({
  type: 'createReminder',
  title: 'Create a reminder',
  description:
    "Creates a reminder about the contact as `POST /api/reminders` does. The owner of the workflow is its creator, and thus who is reminded. Skipped with `no_date` if the placeholder for the time holds no date. The step has the reminder's `reminderId`.",
  schema: CreateReminderData,
  actsAsOwner: true,
  needsContact: true,
});

const ResolveConversationData = described(z.object({ channel: z.optional(z.enum(channels)) }), {
  channel: 'Only a conversation on this channel.',
});

export const resolveConversation = nodeType<z.output<typeof ResolveConversationData>>({
  type: 'resolveConversation',
  title: 'Resolve the conversation',
  description:
    "Resolves a conversation as `PATCH /api/conversations/{id}` does: the one that the event of the run is about; else, of the contact's open conversations, the one with the latest message. If all are resolved, nothing changes. Skipped with `no_conversation` if the contact has none. The step has its `conversationId`.",
  schema: ResolveConversationData,
  actsAsOwner: true,
  needsContact: true,
});
