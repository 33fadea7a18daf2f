import { newApplication, type StoredApplication } from '../../../shared/applications/application.ts';
import { ended, startedCall } from '../../../shared/calls/call.ts';
import { childId, newContact, type StoredContact } from '../../../shared/contacts/contact.ts';
import { placeholderFields } from '../../../shared/contacts/placeholder-contact.ts';
import { newConversation } from '../../../shared/conversations/conversation.ts';
import * as demo from '../../../shared/demo-ids.ts';
import { after, day, hour, minute, second, timestamp } from '../../../shared/kernel/time.ts';
import { newNote, noteKey } from '../../../shared/notes/note.ts';
import type { User } from '../../../shared/organizations/user.ts';
import type { Pipeline } from '../../../shared/pipelines/pipeline.ts';
import type { StagePlace } from '../../../shared/pipelines/stages.ts';
import { creatingSteps, type Reminder, type ReminderTables } from '../../../shared/reminders/reminder.ts';
import type { Step } from '../../../shared/table/table.ts';
import type { Called } from './calls.ts';
import { type Exchanged, exchange } from './correspondence.ts';
import { numbers } from './organization.ts';
import { dialogues } from './phrases.ts';
import type { Randomness } from './randomness.ts';
import { snapshotSteps } from './training.ts';

/** A contact with what was said and done since it came. */
export interface History {
  readonly contact: StoredContact;
  readonly exchanged: readonly Exchanged[];
  readonly called: Called;
  readonly applications: readonly StoredApplication[];
}

interface Circumstances {
  readonly stages: readonly StagePlace[];
  readonly users: ReadonlyMap<string, User>;
  readonly applicationPipeline: Pipeline | undefined;
  readonly now: Date;
  readonly random: Randomness;
}

const repsNumber = numbers['rep@example.com']?.[0]?.phoneNumber ?? null;

/** The contacts that the examples of the documentation are about: one of those given, and one beside them. */
export function exampleHistories(
  contacts: readonly StoredContact[],
  circumstances: Circumstances,
): History[] {
  const ada = contacts.find(({ _id }) => _id === demo.ada);
  const [stage] = circumstances.stages;
  return ada === undefined || stage === undefined
    ? []
    : [adasHistory(ada, circumstances), placeholderHistory(ada.organizationId, stage, circumstances)];
}

/** What was said and done with Ada Lovelace: all of it in the last two hours. */
function adasHistory(
  ada: StoredContact,
  { users, applicationPipeline, now, random }: Circumstances,
): History {
  const ago = (milliseconds: number) => after(now, -milliseconds);
  const end = ago(15 * minute);
  const contact: StoredContact = {
    ...ada,
    lastMessageAt: timestamp(end),
    lastMessageDirection: 'inbound',
    conversationAssignees: [demo.rep],
  };
  const dialogue = dialogues.sms[0]?.slice(0, 3) ?? [];
  const about = {
    _id: demo.conversation,
    channel: 'sms',
    dialogue,
    start: ago(hour).getTime(),
    end: end.getTime(),
    isResolved: false,
  } as const;
  const callBegan = ago(90 * minute);
  const voice = newConversation(
    childId(ada._id, random.idAt(callBegan)),
    ada,
    'voice',
    demo.rep,
    timestamp(callBegan),
  );
  const call = {
    provider: 'twilio',
    number: ada.phoneNumbers[0]?.value ?? '',
    own: repsNumber,
    contactId: ada._id,
    conversationId: voice._id,
    organizationId: ada.organizationId,
    userId: demo.rep,
  };
  const outbound = startedCall({ ...call, _id: demo.endedCall, direction: 'outbound' }, timestamp(callBegan));
  return {
    contact,
    exchanged: [exchange(contact, about, users, random)],
    called: {
      conversations: [voice],
      calls: [
        ended(outbound, 'completed', after(callBegan, 260 * second)),
        startedCall({ ...call, _id: demo.callUnderWay, direction: 'inbound' }, timestamp(ago(minute))),
      ],
    },
    applications: [
      { _id: demo.application, name: 'Trade account', customFields: { limit: 5_000 } },
      { _id: demo.spareApplication, name: 'Showroom loan' },
    ].flatMap(({ _id, ...application }) => {
      const [stage] = applicationPipeline?.stages ?? [];
      return applicationPipeline === undefined || stage === undefined
        ? []
        : newApplication(
            _id,
            ada,
            { pipelineId: applicationPipeline._id, stage },
            { userId: demo.rep, ...application },
            timestamp(ago(80 * minute)),
          );
    }),
  };
}

/** What a call leaves behind that nobody picked up, to a number that nobody had: a contact that goes when the call is discarded. */
function placeholderHistory(
  organizationId: string,
  stage: StagePlace,
  { now, random }: Circumstances,
): History {
  const at = after(now, -8 * day);
  const number = '+13035550160';
  const contact = newContact(
    demo.placeholderContact,
    { userId: demo.rep, organizationId, homeOrganizationId: organizationId },
    stage,
    placeholderFields('outbound call', number),
    timestamp(at),
  );
  const voice = newConversation(
    childId(contact._id, random.idAt(at)),
    contact,
    'voice',
    demo.rep,
    timestamp(at),
  );
  const call = startedCall(
    {
      _id: demo.placeholderCall,
      provider: 'twilio',
      direction: 'outbound',
      number,
      own: repsNumber,
      contactId: contact._id,
      conversationId: voice._id,
      organizationId,
      userId: demo.rep,
    },
    timestamp(at),
  );
  const calls = [ended(call, 'no-answer', after(at, 30 * second))];
  return { contact, exchanged: [], called: { conversations: [voice], calls }, applications: [] };
}

/** What else the admin has made about Ada Lovelace: the examples are tried as the admin, and only its author may edit a note. */
export function exampleSteps(tables: ReminderTables, histories: readonly History[], now: Date): Step[] {
  const { table } = tables;
  const made = timestamp(after(now, -10 * minute));
  const by = { contactId: demo.ada, userId: demo.admin, mentions: [], attachments: [] };
  const notes = [
    newNote({ ...by, _id: demo.note, note: 'Prefers to be called in the morning.' }, made),
    newNote({ ...by, _id: demo.spareNote, note: 'Has asked for the price list twice.' }, made),
  ];
  const reminder: Reminder = {
    _id: demo.spareReminder,
    contactId: demo.ada,
    createdBy: demo.admin,
    note: 'Send the contract',
    remindAt: timestamp(after(now, 3 * day)),
    fired: false,
    createdAt: made,
    updatedAt: made,
  };
  const kept = {
    _id: demo.spareSnapshot,
    createdBy: demo.admin,
    quality: 'good',
    category: 'First contact',
    tags: ['quick', 'friendly'],
    createdAt: made,
  } as const;
  return [
    ...notes.map((note) => table.add(noteKey(note.contactId, note._id), note)),
    ...creatingSteps(tables, reminder),
    ...histories
      .flatMap(({ exchanged }) => exchanged)
      .flatMap((one) => snapshotSteps(table, one, { ...kept, tags: [...kept.tags] })),
  ];
}
