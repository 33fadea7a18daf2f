import { progressOf } from '../../../functions/messages/model/progress.ts';
import { recordProgress } from '../../../functions/messages/model/record-progress.ts';
import cancelWorkflowRun from '../../../functions/workflows/cancel-workflow-run.ts';
import type { Topic } from '../../../functions/workflows/model/definition/topics.ts';
import { triggerKey } from '../../../functions/workflows/model/definition/trigger-rows.ts';
import { advanceRun } from '../../../functions/workflows/model/runs/advance-run.ts';
import { endOthers, type OthersToEnd } from '../../../functions/workflows/model/runs/others-to-end.ts';
import { readyRunKey, runRange } from '../../../functions/workflows/model/runs/run.ts';
import { planOfRun } from '../../../functions/workflows/model/runs/run-changes.ts';
import { manualOccurrence } from '../../../functions/workflows/model/triggers/manual-start.ts';
import { ownersIn } from '../../../functions/workflows/model/triggers/owners.ts';
import { startByEvents } from '../../../functions/workflows/model/triggers/start-by-events.ts';
import { startRuns } from '../../../functions/workflows/model/triggers/start-runs.ts';
import * as demo from '../../../shared/kernel/demo-ids.ts';
import { after, second, timestamp } from '../../../shared/kernel/time.ts';
import { queuedMessageRange } from '../../../shared/messages/queued-message.ts';
import type { Range } from '../../../shared/table/key.ts';
import { dueTimeOf } from '../../../shared/workflows/due-run.ts';
import type { Past } from './past.ts';
import { peopleAround, type SeedContact } from './seed-contacts.ts';
import { pastSteps } from './steps.ts';
import { ids } from './workflow-graphs.ts';

/** An empty object store: no plan of the demo is large enough for it, and no message has a file. */
const objects = { get: async () => undefined };

/** The workflow that each of these events starts; other events only end waits. */
const startedBy: Partial<Record<Topic, string>> = {
  'call.missed': ids.missedCall,
  'contact.opted_out': ids.optOut,
  'contact.stage_changed': ids.won,
  'lead.received': ids.newLead,
  'message.sent': ids.silence,
};

/** An event of a contact, with its fields beside `contactId` and `at`. */
export interface PastOccurrence {
  readonly topic: Topic;
  readonly at: Date;
  readonly fields?: Readonly<Record<string, unknown>>;
}

interface StartByHand {
  readonly runId: string;
  readonly workflowId: string;
  readonly by: string;
  readonly at: Date;
}

/** Runs the workflows of the demo for one contact, at a time in the past. */
export function workflowsFor(past: Past, contact: SeedContact) {
  const table = past.table(demo.organization);
  const { platform } = past;
  const { _id: contactId } = contact;
  const clockAt = (now: Date) => ({ now, newId: () => past.random.idAt(now) });

  /** Sends the texts that steps have queued. */
  async function deliverTexts(at: Date): Promise<void> {
    const taken = { status: 'sent', providerMessageId: `SM${past.random.idAt(at)}` } as const;
    for (const { data } of await table.list(queuedMessageRange(contactId))) {
      const resources = { table, platform, downloads: {} as never, ...clockAt(after(at, 2 * second)) };
      const progress = progressOf(taken, timestamp(after(at, 2 * second)));
      await recordProgress(resources, data, { ...progress, status: 'delivered' });
    }
  }

  /** Takes all steps that can be taken at this time. */
  async function advance(runId: string, now: Date): Promise<void> {
    const context = {
      ...clockAt(now),
      tables: { table, platform },
      stepOperations: pastSteps(past),
      planOf: (run: Parameters<typeof planOfRun>[1]) => planOfRun({ table, objects }, run),
    };
    await advanceRun(context, runId);
    // Otherwise the host would continue the run once it has started.
    await table.commit([table.delete(readyRunKey(runId))]);
    await deliverTexts(now);
    await endStopped(now);
  }

  /** Ends the runs that a step has stopped, as a reader of the stream does. */
  async function endStopped(now: Date): Promise<void> {
    const stopped: Range<OthersToEnd> = { partition: ['CONTACT', contactId], under: ['RUNS_TO_END'] };
    for (const { key, data } of await table.list(stopped)) {
      await endOthers({ table, platform }, data, clockAt(now));
      await table.commit([table.delete(key)]);
    }
  }

  const runs = async () => (await table.list(runRange(contactId))).map(({ data }) => data);

  return {
    runs,
    /** An event happens, and the runs that it starts or continues advance as far as they can; not if they are `left` to the host. */
    async happen({ topic, at, fields = {} }: PastOccurrence, { left = false } = {}): Promise<void> {
      const occurrence = {
        topic,
        at: timestamp(at),
        eventId: past.random.idAt(at),
        contactId,
        people: peopleAround(contact),
        fields: { contactId, at: timestamp(at), ...fields },
      };
      const tables = { table, platform, objects, owners: ownersIn(table) };
      const workflowId = startedBy[topic];
      if (workflowId === undefined) {
        const { failures } = await startByEvents(tables, [occurrence], clockAt(at));
        if (failures.length > 0) {
          throw failures[0];
        }
      } else {
        // Not through the reader of the stream, which limits the rate of starts: the events here are not in the order of time.
        const row = await table.read(triggerKey(topic, workflowId));
        const nodes = row?.data.triggers.slice(0, 1) ?? [];
        await (row && startRuns(tables, { row: row.data, occurrence, nodes }, clockAt(at)));
      }
      for (const { _id } of left ? [] : await runs()) {
        await advance(_id, at);
      }
    },
    /** A user starts a workflow whose only trigger is `start`; the run gets this id. */
    async start({ runId, workflowId, by, at }: StartByHand): Promise<void> {
      const row = await table.read(triggerKey('manual.started', workflowId));
      const occurrence = manualOccurrence(
        contactId,
        { eventId: past.random.idAt(at), userId: by, causedBy: undefined },
        at,
      );
      const tables = { table, platform, objects, owners: ownersIn(table) };
      const nodes = [{ nodeId: 'start', runId }];
      await (row && startRuns(tables, { row: row.data, occurrence, nodes }, clockAt(at)));
      await advance(runId, at);
    },
    /** Ends all waits that are due by now. */
    async passTime(): Promise<void> {
      for (const run of await runs()) {
        const dueAt = dueTimeOf(run);
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
