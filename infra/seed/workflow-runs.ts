import createApplication from '../../functions/applications/create-application.ts';
import updateContact from '../../functions/contacts/update-contact.ts';
import { toProgress } from '../../functions/messages/model/progress.ts';
import { recordProgress } from '../../functions/messages/model/record-progress.ts';
import sendMessage from '../../functions/messages/send-message.ts';
import createNote from '../../functions/notes/create-note.ts';
import createReminder from '../../functions/reminders/create-reminder.ts';
import cancelRunsOfContact from '../../functions/workflows/cancel-runs-of-contact.ts';
import cancelWorkflowRun from '../../functions/workflows/cancel-workflow-run.ts';
import type { Topic } from '../../functions/workflows/model/definition/topics.ts';
import { triggerKey } from '../../functions/workflows/model/definition/triggers.ts';
import { advanceRun } from '../../functions/workflows/model/runs/advance-run.ts';
import { endOthers } from '../../functions/workflows/model/runs/others-to-end.ts';
import { readyRunKey, runRange } from '../../functions/workflows/model/runs/run.ts';
import { readRunPlan } from '../../functions/workflows/model/runs/run-changes.ts';
import { ownersIn } from '../../functions/workflows/model/triggers/owners.ts';
import { startByEvents } from '../../functions/workflows/model/triggers/start-by-events.ts';
import { manualOccurrence } from '../../functions/workflows/model/triggers/start-by-hand.ts';
import { startRuns } from '../../functions/workflows/model/triggers/start-runs.ts';
import { contactKey } from '../../shared/contacts/contact.ts';
import type { StepOperations } from '../../shared/events/step-operations.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import type { Operation } from '../../shared/kernel/operation.ts';
import { after, second, type Timestamp, timestamp } from '../../shared/kernel/time.ts';
import { queuedMessageRange } from '../../shared/messages/queued-message.ts';
import { involvedPeople } from '../../shared/organizations/visibility.ts';
import type { Range } from '../../shared/table/key.ts';
import { runDueTime } from '../../shared/workflows/due-run.ts';
import type { RunsOfContactToEnd } from '../../shared/workflows/runs-of-contact-to-end.ts';
import type { Past } from './past.ts';

/** An empty object store: no plan of the demo is large enough for it, and no message has a file. */
const objects = { get: async () => undefined };

/** The events of a contact's workflows. */
export type WorkflowEntry = { readonly contactId: string } & (
  | Occurrence
  | Start
  /** All waits end that are due by now. */
  | { readonly workflow: 'passTime' }
  /** The texts that wait for the provider are delivered. */
  | { readonly workflow: 'deliver'; readonly at: Timestamp }
  /** A user cancels all runs. */
  | { readonly workflow: 'cancel'; readonly by: string; readonly at: Timestamp }
);

/** An event. Runs that it starts or continues advance as far as they can; not if they are `left` to the host. */
interface Occurrence {
  readonly workflow: 'happen';
  readonly topic: Topic;
  readonly at: Timestamp;
  /** The fields of the event beside `contactId` and `at`. */
  readonly fields?: Readonly<Record<string, unknown>>;
  /** The workflow that it starts; other events only end waits. */
  readonly starts?: string;
  readonly left?: boolean;
}

/** A user starts a workflow whose only trigger is `start`; the run gets this id. */
interface Start {
  readonly workflow: 'start';
  readonly workflowId: string;
  readonly runId: string;
  readonly by: string;
  readonly at: Timestamp;
}

export async function followWorkflow(past: Past, entry: WorkflowEntry): Promise<void> {
  const runs = runsOf(past, entry.contactId);
  switch (entry.workflow) {
    case 'happen':
      return runs.happen(entry);
    case 'start':
      return runs.start(entry);
    case 'passTime':
      return runs.passTime();
    case 'deliver':
      return runs.deliverTexts(new Date(entry.at));
    case 'cancel':
      return runs.cancel(entry.by, new Date(entry.at));
  }
}

/** Runs the workflows of the demo for one contact, at a time in the past. */
function runsOf(past: Past, contactId: string) {
  const table = past.table(demo.organization);
  const { platform } = past;
  const tables = { table, platform, objects, owners: ownersIn(table) };
  const clockAt = (now: Date) => ({ now, newId: () => past.newId(now) });

  /** Sends the texts that steps have queued. */
  async function deliverTexts(at: Date): Promise<void> {
    const taken = { status: 'sent', providerMessageId: `SM${past.newId(at)}` } as const;
    for (const { data } of await table.list(queuedMessageRange(contactId))) {
      const resources = { table, platform, downloads: {} as never, ...clockAt(after(at, 2 * second)) };
      const progress = toProgress(taken, timestamp(after(at, 2 * second)));
      await recordProgress(resources, data, { ...progress, status: 'delivered' });
    }
  }

  /** Takes all steps that can be taken at this time. */
  async function advance(runId: string, now: Date): Promise<void> {
    const context = {
      ...clockAt(now),
      tables: { table, platform },
      stepOperations: pastSteps(past),
      planOf: (run: Parameters<typeof readRunPlan>[1]) => readRunPlan({ table, objects }, run),
    };
    await advanceRun(context, runId);
    // Otherwise the host would continue the run once it has started.
    await table.commit([table.delete(readyRunKey(runId))]);
    await deliverTexts(now);
    await endStopped(now);
  }

  /** Ends the runs that a step has stopped, as a reader of the stream does. */
  async function endStopped(now: Date): Promise<void> {
    const stopped: Range<RunsOfContactToEnd> = { partition: ['CONTACT', contactId], under: ['RUNS_TO_END'] };
    for (const { key, data } of await table.list(stopped)) {
      await endOthers({ table, platform }, data, clockAt(now));
      await table.commit([table.delete(key)]);
    }
  }

  const runs = async () => (await table.list(runRange(contactId))).map(({ data }) => data);

  return {
    deliverTexts,
    async happen({ topic, at, fields = {}, starts, left = false }: Occurrence): Promise<void> {
      const moment = new Date(at);
      const contact = await table.read(contactKey(contactId));
      const occurrence = {
        topic,
        at,
        eventId: past.newId(moment),
        contactId,
        people: contact ? involvedPeople(contact.data) : [],
        fields: { contactId, at, ...fields },
      };
      if (starts === undefined) {
        const { failures } = await startByEvents(tables, [occurrence], clockAt(moment));
        if (failures.length > 0) {
          throw failures[0];
        }
      } else {
        // Not through the reader of the stream, which limits the rate of starts: the events here are not in the order of time.
        const row = await table.read(triggerKey(topic, starts));
        const nodes = row?.data.triggers.slice(0, 1) ?? [];
        await (row && startRuns(tables, { row: row.data, occurrence, nodes }, clockAt(moment)));
      }
      for (const { _id } of left ? [] : await runs()) {
        await advance(_id, moment);
      }
    },
    async start({ runId, workflowId, by, at }: Start): Promise<void> {
      const moment = new Date(at);
      const row = await table.read(triggerKey('manual.started', workflowId));
      const cause = { eventId: past.newId(moment), userId: by, causedBy: undefined };
      const occurrence = manualOccurrence(contactId, cause, moment);
      const nodes = [{ nodeId: 'start', runId }];
      await (row && startRuns(tables, { row: row.data, occurrence, nodes }, clockAt(moment)));
      await advance(runId, moment);
    },
    async passTime(): Promise<void> {
      for (const run of await runs()) {
        const dueAt = runDueTime(run);
        if (dueAt !== undefined && dueAt <= timestamp(past.now)) {
          await advance(run._id, new Date(dueAt));
        }
      }
    },
    async cancel(by: string, at: Date): Promise<void> {
      for (const { _id: id } of await runs()) {
        await past.run(cancelWorkflowRun, { at, by, path: { id } });
      }
    },
  };
}

/** The operations that the demo workflows perform, by name. */
const operations: Readonly<Record<string, Operation>> = {
  'cancel-runs-of-contact': cancelRunsOfContact,
  'create-application': createApplication,
  'create-note': createNote,
  'create-reminder': createReminder,
  'send-message': sendMessage,
  'update-contact': updateContact,
};

/** The operations that steps of runs perform, in the past. */
function pastSteps(past: Past): StepOperations {
  return {
    async run(name, { path = {}, body }, { caller, table, now, newId }) {
      const operation = operations[name];
      if (operation === undefined) {
        throw new Error(`No demo workflow performs ${name}`);
      }
      const request = { at: now, by: caller.userId, path, body: (body ?? {}) as object, table, newId };
      return past.run(operation, request);
    },
  };
}
