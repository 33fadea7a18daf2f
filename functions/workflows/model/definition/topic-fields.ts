import type { Topic } from './topics.ts';

/** A field that `event.…` names. */
export interface TopicField {
  readonly name: string;
  readonly description: string;
}

const fields = (descriptions: Readonly<Record<string, string>>): TopicField[] =>
  Object.entries({
    contactId: 'The contact it is about.',
    at: 'When it happened.',
    ...descriptions,
  }).map(([name, description]) => ({ name, description }));

const stage = {
  pipelineId: 'The pipeline.',
  stageId: 'The stage it is in now.',
  stage: 'The name of that stage.',
};
const fromStage = { fromStageId: 'The stage it left.', fromStage: 'The name of that stage.' };
const assigned = {
  userId: 'The newly assigned user: the new owner, else the first of the new assignees.',
  userIds: 'All newly assigned users.',
};
const consent = { source: 'Who recorded it: `keyword`, `user` or `provider`.', since: 'Since when.' };
const application = {
  applicationId: 'The application.',
  name: 'What it is for.',
};
const conversation = {
  conversationId: 'The conversation.',
  channel: '`sms`, `voice`, `email` or `webchat`.',
};
const conversationUsers = {
  userId: 'The user whom it belongs to now, if that changed, else the first of the new assignees.',
  userIds: 'All newly assigned users.',
};
const message = {
  messageId: 'The message.',
  conversationId: 'Its conversation.',
  direction: '`inbound` or `outbound`.',
  channel: 'The channel of its conversation.',
  status: 'How far it has come.',
  text: 'Its text.',
  attachments: 'How many files it has.',
};
const outbound = {
  ...message,
  userId: 'The user who sent it; absent if nobody did.',
};
const call = {
  callId: 'The call.',
  conversationId: 'The voice conversation of the contact.',
  direction: '`inbound` or `outbound`.',
  status: 'How far it has come, or how it ended.',
  from: 'The number that calls, if it is known.',
  to: 'The number that is called, if it is known.',
  userId: 'The user of the call.',
  provider: 'The voice provider.',
};
const endedCall = { ...call, duration: 'Whole seconds from its start to its end.' };
const note = {
  noteId: 'The note.',
  userId: 'Its author.',
  mentions: 'The users whom it mentions.',
};

/** The fields of each topic, for the catalogue. One that says nothing of when it is absent may be so only where the event was too large. */
export const topicFields: Readonly<Record<Topic, readonly TopicField[]>> = {
  'contact.created': fields({
    ...stage,
    source: 'Where the contact came from; null if unknown.',
    owner: 'Its owner; null for nobody.',
    assignees: 'Its assignees.',
    tags: 'Its tags.',
    createdBy: 'The user who created it, or whose number or configuration did.',
    isBulkImport: 'Whether it was imported.',
  }),
  'contact.updated': fields({
    changed:
      'The names of the fields that changed: `firstName`, `lastName`, `email`, `externalId`, `phoneNumbers`, `source`, `owner`, `assignees`, `customFields`, `tags`, `isBulkImport`, `consent`. A message, call or note changes none, and a move to another stage is `contact.stage_changed`.',
  }),
  'contact.merged': fields({ mergedContactId: 'The contact that was merged into it, and is gone.' }),
  'contact.deleted': fields({}),
  'contact.stage_changed': fields({ ...stage, ...fromStage }),
  'contact.assigned': fields({
    ...assigned,
    owner: 'The owner now; null for nobody.',
    assignees: 'The assignees now.',
  }),
  'contact.tag_added': fields({
    tag: 'The tag. Each added tag is an event of its own, except the tags of a new contact.',
  }),
  'contact.opted_out': fields(consent),
  'contact.opted_in': fields(consent),
  'application.created': fields({ ...application, ...stage, customFields: 'Its custom fields.' }),
  'application.stage_changed': fields({
    ...application,
    ...stage,
    ...fromStage,
    customFields: 'Its custom fields.',
  }),
  'application.deleted': fields({ ...application, ...fromStage }),
  'conversation.created': fields({
    ...conversation,
    userId: 'The user whom it belongs to; absent for nobody.',
    userIds: 'The same, as a list.',
  }),
  'conversation.assigned': fields({ ...conversation, ...conversationUsers }),
  'conversation.resolved': fields(conversation),
  'conversation.reopened': fields(conversation),
  'message.received': fields({
    ...message,
    from: 'The number, or the name, that it came from.',
    to: 'The number of the organization that it came to.',
  }),
  'message.sent': fields(outbound),
  'message.delivered': fields(outbound),
  'message.failed': fields({
    ...outbound,
    code: "The provider's code of the failure, or a word of this service.",
    reason: 'Why, in words.',
  }),
  'call.initiated': fields(call),
  'call.answered': fields(call),
  'call.ended': fields(endedCall),
  'call.missed': fields({
    ...endedCall,
    textOutcome: 'What became of the text to the caller: `sent`, `scheduled` or `skipped`.',
    textReason: 'Why.',
  }),
  'note.created': fields({ ...note, note: 'Its text.' }),
  'note.mentioned': fields({
    ...note,
    mentions: 'The users whom it mentions now and did not before.',
    note: 'The beginning of its text.',
  }),
  'reminder.due': fields({
    reminderId: 'The reminder.',
    userId: 'The user who made it.',
    note: 'The beginning of its note.',
  }),
  'lead.received': fields({
    configurationId: 'The outreach configuration that it came by.',
    isNew: 'Whether the contact is new.',
    changed: 'Whether the contact is new, fields of it changed, or an application was created for it.',
    applicationId: 'The application that was created for it, if one was.',
    firstName: 'The first name of the contact.',
    lastName: 'Its last name.',
    email: 'Its email address; null for none.',
    phone: 'Its number.',
    source: 'Where it came from.',
    owner: 'Its owner; null for nobody.',
    customFields: 'Its custom fields, with those of the lead.',
  }),
  'run.failed': fields({
    workflowId: 'The workflow whose run failed.',
    runId: 'The run.',
    nodeId: 'The node of the step that failed.',
    reason: 'Why, in words.',
  }),
  'manual.started': fields({ userId: 'The user who started it.' }),
};
