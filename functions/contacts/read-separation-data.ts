import * as z from 'zod/mini';
import { toCallResponse } from '../../shared/calls/call.ts';
import { CallResponse } from '../../shared/calls/call-response.ts';
import { toApplicationResponse } from '../../shared/contact-aggregate/application.ts';
import { ApplicationResponse } from '../../shared/contact-aggregate/application-response.ts';
import { ContactResponse } from '../../shared/contacts/contact-response.ts';
import { readPipelines } from '../../shared/contacts/pipeline.ts';
import { stageById } from '../../shared/contacts/stages.ts';
import { toContactResponse } from '../../shared/contacts/to-contact-response.ts';
import { buildMessageResponse, shownMessage } from '../../shared/conversations/build-message-response.ts';
import { buildSnapshotResponse } from '../../shared/conversations/build-snapshot-response.ts';
import { ConversationResponse } from '../../shared/conversations/conversation-response.ts';
import { MessageResponse } from '../../shared/conversations/message-response.ts';
import { readAt } from '../../shared/conversations/read-position.ts';
import { SnapshotResponse } from '../../shared/conversations/snapshot-response.ts';
import { logAction } from '../../shared/events/log-entry.ts';
import { definedOnly } from '../../shared/kernel/defined-only.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { notFound } from '../../shared/kernel/failure.ts';
import { OtherResponse } from '../../shared/kernel/http/other-response.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { described } from '../../shared/kernel/schemas/descriptions.ts';
import { dataResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { anyString } from '../../shared/kernel/schemas/fields.ts';
import { gatewayLimit } from '../../shared/kernel/serve/invocation-limits.ts';
import { minute, second } from '../../shared/kernel/time.ts';
import { buildNoteResponse } from '../../shared/notes/build-note-response.ts';
import { NoteResponse } from '../../shared/notes/note-response.ts';
import { announceObjects, contactObjectsKey } from '../../shared/notes/owned-objects.ts';
import { ReminderResponse } from '../../shared/notes/reminder-response.ts';
import { readUsers } from '../../shared/organizations/visibility.ts';
import { RunResponse, runDescriptions, toRunResponse } from '../../shared/workflows/run-response.ts';
import { readSeparationData } from './model/separation-data.ts';

/** A run with what it knows of the event that started it: texts and fields of the contact, as they were then. */
const ExportedRunResponse = described(
  z.extend(RunResponse, { event: z.optional(z.record(anyString, z.unknown())) }),
  {
    ...runDescriptions,
    event: 'The fields of the event that started it. They are kept as long as its steps.',
  },
  { id: 'ExportedWorkflowRun', description: 'A run of a workflow, with all that is stored of it.' },
);

/** How long an export can be downloaded. */
const downloadTime = 5 * minute;

export default operation({
  route: 'GET /api/contacts/{id}/separation-data',
  summary: 'Export a contact with all its records',
  description: [
    'Complete, however large: the contact with its consent, and all its conversations, messages, calls, applications, notes, reminders, training snapshots and runs of workflows, as they are now. Lists are newest first; `conversationMessages` has the messages of each conversation by its id, oldest first. Files are not in it, but addresses: those of attachments of notes and messages work for an hour, recordings stay with their provider. [Contacts](#/Contacts) says what else is not in it.',
    'A response near 6 MB is gzipped even if the request does not ask for it; if it is still too large, the response is a 303 to a download that works for 5 minutes.',
  ].join('\n\n'),
  family: 'contacts',
  minimumRole: 'ADMIN',
  output: dataResponse(
    described(
      z.object({
        contact: ContactResponse,
        conversations: z.array(ConversationResponse),
        applications: z.array(ApplicationResponse),
        contactNotes: z.array(NoteResponse),
        reminders: z.array(ReminderResponse),
        trainingSnapshots: z.array(SnapshotResponse),
        calls: z.array(CallResponse),
        workflowRuns: z.array(ExportedRunResponse),
        conversationMessages: z.record(anyString, z.array(MessageResponse)),
      }),
      {
        contact: 'The contact.',
        conversations: 'Its conversations, newest first.',
        applications: 'Its applications, newest first.',
        contactNotes: 'The notes on it, newest first.',
        reminders: 'Its reminders, newest first.',
        trainingSnapshots: 'Its training snapshots, newest first.',
        calls: 'The calls with it, newest first. Discarded ones are gone.',
        workflowRuns: 'The runs of workflows for it, newest first, each with the event that started it.',
        conversationMessages: 'The messages of each conversation by its id, oldest first.',
      },
    ),
  ),
  others: [
    {
      status: 303,
      description: 'The response is too large: download it, gzipped, from the address in `Location`.',
    },
  ],
  failures: ['NOT_FOUND'],
  example: { path: { id: demo.ada } },
  // A contact of 30 MB takes 30 reads of 1 MB.
  timeLimit: gatewayLimit - 2 * second,
  throttle: { rate: 10, burst: 20 },
  uses: { table: 'write', objects: 'exports' },
  async run({ path }, { table, objects, caller, now, newId }) {
    const [found, users, { data }] = await Promise.all([
      readSeparationData(table, path.id, caller.userId),
      readUsers(table),
      readPipelines(table),
    ]);
    const { contact, conversations, messages, positions } = found;
    if (contact === undefined) {
      throw notFound('Contact');
    }
    const exported = { event: 'export_started', entity: { type: 'contact', id: path.id } } as const;
    await table.commit([logAction(table, exported, newId(), now)]);
    const stageOf = ({ stageId }: { stageId: string }) => stageById(data.pipelines, stageId);
    const authors = new Map(users.map((user) => [user._id, user]));
    const { attachments } = objects;
    const notes = found.notes.map((note) => buildNoteResponse(note, authors.get(note.userId), attachments));
    const messageResponses = await Promise.all(
      messages.map((message) =>
        message.attachments.length === 0 ? shownMessage(message) : buildMessageResponse(message, attachments),
      ),
    );
    const byConversation = Map.groupBy(messageResponses, ({ conversationId }) => conversationId);
    return ok({
      data: {
        contact: toContactResponse(contact, stageOf(contact)),
        conversations: conversations
          .map((conversation) => readAt(conversation, positions.get(conversation._id)))
          .reverse(),
        applications: found.applications
          .map((application) => toApplicationResponse(application, stageOf(application)))
          .reverse(),
        contactNotes: (await Promise.all(notes)).reverse(),
        reminders: found.reminders.reverse(),
        trainingSnapshots: await Promise.all(
          found.trainingSnapshots
            .reverse()
            .map((trainingSnapshot) => buildSnapshotResponse(trainingSnapshot, attachments)),
        ),
        calls: found.calls.map(toCallResponse).reverse(),
        workflowRuns: found.workflowRuns
          .map((run) => ({
            ...toRunResponse(run, found.workflowSteps.get(run._id) ?? []),
            ...definedOnly({ event: found.workflowEvents.get(run._id) }),
          }))
          .reverse(),
        conversationMessages: Object.fromEntries(
          conversations.map(({ _id }) => [_id, byConversation.get(_id) ?? []]),
        ),
      },
    });
  },
  async oversized(zipped, { path }, { table, objects, newId, now }) {
    const id = newId();
    const key = `${id}.json`;
    // Never confirmed: it expires, and goes with the contact before that.
    await announceObjects(table, contactObjectsKey(path.id, id), [{ area: 'exports', key }], now);
    await objects.put(key, zipped);
    const location = await objects.downloadUrl(key, {
      name: `contact-${path.id}.json`,
      type: 'application/json',
      seconds: downloadTime / second,
    });
    return new OtherResponse({ status: 303, headers: { location } });
  },
});
