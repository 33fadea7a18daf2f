import type { Call } from '../../../../shared/calls/call.ts';
import { isMissed } from '../../../../shared/calls/call.ts';
import type { TimelineChange } from '../../../../shared/contacts/timeline-change.ts';
import type { Message } from '../../../../shared/conversations/conversation.ts';
import { listed } from '../../../../shared/kernel/http/listed.ts';
import type { StoredNote } from '../../../../shared/notes/note.ts';
import type { Reminder } from '../../../../shared/notes/reminder.ts';
import { excerpt } from '../../../../shared/notifications/excerpt.ts';
import type { Names } from './entry.ts';

/** The beginning of a text in quotation marks. */
const quoted = (text: string) => `“${excerpt(text)}”`;

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`;

/** `: “text”`, or what is attached if there is no text. */
const content = (text: string, files: number) =>
  excerpt(text) === '' ? ` with ${counted(files, 'file')}` : `: ${quoted(text)}`;

export const noteWords = ({ note, attachments }: StoredNote, who: string): string =>
  `${who} wrote a note${content(note, attachments.length)}.`;

const channelWords = {
  sms: 'a text message',
  email: 'an email',
  webchat: 'a chat message',
  voice: 'a message',
} as const;

export function messageWords(message: Message, who: string): string {
  const { direction, channel, status } = message;
  const text = content(message.content, message.attachments.length);
  if (direction === 'inbound') {
    return `The contact sent ${channelWords[channel]}${text}.`;
  }
  if (status === 'failed' || status === 'undelivered') {
    return `${who} wrote ${channelWords[channel]} that did not arrive${text}.`;
  }
  return `${who} ${status === 'scheduled' ? 'scheduled' : 'sent'} ${channelWords[channel]}${text}.`;
}

const endWords = {
  completed: 'the call has ended',
  'no-answer': 'nobody answered',
  busy: 'the line was busy',
  failed: 'the call failed',
  canceled: 'the call was canceled',
  voicemail: 'it went to voicemail',
} as const;

export function callWords(call: Call, user: string): string {
  const { direction, status, duration } = call;
  const start = direction === 'inbound' ? `The contact called ${user}` : `${user} called the contact`;
  if (status === 'initiated' || status === 'ringing') {
    return `${start}.`;
  }
  if (status === 'answered') {
    return `${start}, and they are talking.`;
  }
  if (status === 'completed' && !isMissed(call) && duration !== undefined) {
    return `${start}, and the call took ${lengthWords(duration)}.`;
  }
  return `${start}, and ${isMissed(call) && status === 'completed' ? endWords['no-answer'] : endWords[status]}.`;
}

function lengthWords(seconds: number): string {
  const [minutes, rest] = [Math.floor(seconds / 60), seconds % 60];
  const parts = [
    ...(minutes > 0 ? [counted(minutes, 'minute')] : []),
    ...(rest > 0 || minutes === 0 ? [counted(rest, 'second')] : []),
  ];
  return listed(parts);
}

export const applicationWords = (name: string, who: string): string =>
  `${who} created the application ${quoted(name)}.`;

export const reminderWords = ({ note, remindAt }: Reminder, who: string): string =>
  `${who} set a reminder for ${remindAt.slice(0, 16).replace('T', ' ')} UTC: ${quoted(note)}.`;

const fieldWords: Readonly<Record<string, string>> = {
  firstName: 'the first name',
  lastName: 'the last name',
  email: 'the email address',
  phoneNumbers: 'the phone numbers',
  source: 'the source',
  owner: 'the owner',
  assignees: 'the assignees',
  customFields: 'custom fields',
  tags: 'the tags',
  isBulkImport: 'the mark of imports',
  consent: 'the consent to text messages',
};

const runWords: Readonly<Record<string, string>> = {
  running: 'started for the contact',
  waiting: 'waits for the contact',
  finished: 'finished for the contact',
  failed: 'failed for the contact',
  cancelled: 'was cancelled for the contact',
};

const leadWords = {
  new: 'A lead created the contact',
  changed: 'A lead of the contact brought something new',
  unchanged: 'A lead of the contact brought nothing new',
} as const;

/** A change in one sentence. */
export function changeWords({ type, actor, details }: TimelineChange, { who, userName }: Names): string {
  const { fields = [], assigned = [], consent, fromStage, stage, application, conversation } = details;
  switch (type) {
    case 'created':
      return `${who} created the contact.`;
    case 'updated':
      return conversation === undefined
        ? `${who} changed ${listed(fields.map((field) => fieldWords[field] ?? field))}.`
        : `${who} ${conversation} a conversation.`;
    case 'merged':
      return `${who} merged another contact into this one.`;
    case 'stage_changed':
      return `${who} moved the contact${stageWords(fromStage, stage)}.`;
    case 'assigned': {
      const what = conversation === undefined ? 'the contact' : 'a conversation';
      return `${who} assigned ${what} to ${listed(assigned.map(userName))}.`;
    }
    case 'application': {
      const name = application?.name ?? '';
      return application?.transition === 'moved'
        ? `${who} moved the application ${quoted(name)}${stageWords(fromStage, stage)}.`
        : `${who} ${application?.transition === 'deleted' ? 'deleted' : 'changed'} the application ${quoted(name)}.`;
    }
    case 'archived':
      return `${who} archived the contact.`;
    case 'restored':
      return actor.type === 'user' || actor.type === 'key'
        ? `${who} restored the contact.`
        : 'The contact was restored.';
    case 'reminder':
      return 'A reminder was due.';
    case 'workflow_step':
      return `A workflow ${runWords[details.run ?? ''] ?? 'ran for the contact'}.`;
    case 'lead':
      return `${leadWords[details.lead ?? 'unchanged']}.`;
    case 'consent': {
      const what = consent === 'out' ? 'out of text messages' : 'in to text messages';
      return actor.type === 'provider'
        ? `The contact opted ${what}.`
        : `${who} recorded that the contact opted ${what}.`;
    }
  }
}

const stageWords = (from: string | undefined, to: string | undefined) =>
  `${from === undefined ? '' : ` from ${from}`}${to === undefined ? '' : ` to ${to}`}`;
