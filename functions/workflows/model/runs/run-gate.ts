import { crc32 } from 'node:zlib';
import { forEachConcurrently } from '../../../../shared/kernel/for-each-concurrently.ts';
import { after, day, epochSeconds } from '../../../../shared/kernel/time.ts';
import type { Key } from '../../../../shared/table/key.ts';
import type { Action, TableWriter } from '../../../../shared/table/table.ts';
import { longestRun } from '../definition/plan.ts';
import type { EndOfRuns, PlanState } from '../definition/workflow.ts';
import type { Run } from './run.ts';

/**
 * Ends all runs of a workflow at one moment, however many they are. Runs that are cancelled with their workflow, or whose workflow is
 * deleted, have a last revision: the request writes it into the gates of the workflow before it is answered, and from then on no
 * transaction with `passGateAction` of a run of that revision or an earlier one commits. What records of these runs say is brought in line
 * afterwards (`end-workflow-runs`). A workflow that is enabled again goes on with a later revision.
 *
 * While a workflow is disabled, its gates for starts are closed, too, `passStartGateAction`: what was to start by triggers that were read
 * before does not start any more once the request is answered.
 *
 * A check costs as much as a write, and transactions that check the same row at the same time disturb each other. So a gate is several
 * rows, by contact, each in a partition of its own: about 20 checks a second each. There is none until runs are ended, or the workflow is
 * disabled.
 *
 * Starts are few, and their gates are written in the transaction of the request. Those of steps are written after it, each for itself:
 * a transaction of all of them would hardly ever find them free while many runs take steps, which is when somebody wants to stop them.
 * Should the request not get so far, `end-workflow-runs` closes them.
 */
export const gateShards = { starts: 8, steps: 32 } as const;

/** How long a gate says which runs were ended: longer than a run can last. */
export const endedRememberedFor = longestRun + day;

export const startGateKey = (workflowId: string, shard: number | string): Key<never> => ({
  partition: ['WORKFLOW_GATE', workflowId, String(shard)],
  sort: ['STARTS'],
});

export const stepGateKey = (workflowId: string, shard: number | string): Key<never> => ({
  partition: ['WORKFLOW_GATE', workflowId, String(shard)],
  sort: ['STEPS'],
});

const startGatesOf = (workflowId: string): Key<never>[] =>
  Array.from({ length: gateShards.starts }, (_, shard) => startGateKey(workflowId, shard));

const stepGatesOf = (workflowId: string): Key<never>[] =>
  Array.from({ length: gateShards.steps }, (_, shard) => stepGateKey(workflowId, shard));

/** The gate of the steps of a contact's runs. */
export const stepGateForContact = (workflowId: string, contactId: string): Key<never> =>
  stepGateKey(workflowId, crc32(contactId) % gateShards.steps);

/** The gate of the starts of a contact's runs. */
export const startGateForContact = (workflowId: string, contactId: string): Key<never> =>
  startGateKey(workflowId, crc32(contactId) % gateShards.starts);

/** The start is refused because the workflow is disabled. */
export class StartsClosed extends Error {
  constructor() {
    super('The workflow is disabled');
    this.name = 'StartsClosed';
  }
}

/** The runs of the workflow up to the run's revision were ended by a request: the run ends, with this reason. */
export class RunsEnded extends Error {
  readonly reason: EndOfRuns;

  constructor(reason: EndOfRuns) {
    super('The runs of the workflow were ended');
    this.name = 'RunsEnded';
    this.reason = reason;
  }
}

/**
 * Requires, in a transaction, that nobody has ended the runs of this revision: in that of each step with an effect, and of each failure,
 * which other workflows may follow.
 * It costs 2 write units. The transaction otherwise fails with `RunsEnded`.
 */
export function passGateAction(table: TableWriter, { workflowId, contactId, revision }: OfGate): Action {
  return table.require(stepGateForContact(workflowId, contactId), {
    when: notEnded,
    values: { revision },
    otherwise: (existing) => new RunsEnded(endOfRuns(existing?.reason)),
  });
}

/**
 * The same for the transaction of a start, which also requires that the workflow is not disabled; it otherwise fails with `RunsEnded` or
 * `StartsClosed`.
 */
export function passStartGateAction(table: TableWriter, { workflowId, contactId, revision }: OfGate): Action {
  return table.require(startGateForContact(workflowId, contactId), {
    when: `attribute_not_exists(isClosed) AND (${notEnded})`,
    values: { revision },
    otherwise: (existing) =>
      Number(existing?.lastEnded ?? 0) >= revision
        ? new RunsEnded(endOfRuns(existing?.reason))
        : new StartsClosed(),
  });
}

type OfGate = Pick<Run, 'workflowId' | 'contactId' | 'revision'>;

const notEnded = 'attribute_not_exists(lastEnded) OR lastEnded < :revision';

/**
 * The actions that close a workflow for starts: of one that is disabled, or whose runs were ended. They cost 2 write units a gate.
 */
export function closeForStarts(table: TableWriter, workflowId: string, end?: EndAt): Action[] {
  const closing =
    end === undefined
      ? { update: 'SET isClosed = :isClosed', values: { isClosed: true } }
      : {
          update: `${setEnded}, isClosed = :isClosed`,
          values: { ...endedValues(end), isClosed: true },
        };
  return startGatesOf(workflowId).map((key) => table.updateAction(key, closing));
}

/** The actions that open the gates for starts again when a workflow is enabled. */
export function openForStarts(table: TableWriter, workflowId: string): Action[] {
  return startGatesOf(workflowId).map((key) => table.updateAction(key, { update: 'REMOVE isClosed' }));
}

/** The runs that were ended, and the time. */
export interface EndAt {
  readonly ended: NonNullable<PlanState['ended']>;
  readonly now: Date;
}

/**
 * Closes a workflow for steps of runs that were ended, after the transaction that says so: once this resolves, no effect of them commits
 * any more. Doing it again does no harm. It costs a write unit a gate. @throws a 503 `Failure` when the table stays unavailable.
 */
export async function closeForSteps(table: TableWriter, workflowId: string, end: EndAt): Promise<void> {
  const keys = stepGatesOf(workflowId);
  const [failure] = await forEachConcurrently(keys, keys.length, async (key) => {
    try {
      await table.update(key, {
        update: setEnded,
        when: 'attribute_not_exists(lastEnded) OR lastEnded < :lastEnded',
        values: endedValues(end),
        otherwise: () => new ClosedAlready(),
      });
    } catch (error) {
      if (!(error instanceof ClosedAlready)) {
        throw error;
      }
    }
  });
  if (failure !== undefined) {
    throw failure;
  }
}

class ClosedAlready extends Error {}

const setEnded = 'SET lastEnded = :lastEnded, reason = :reason, expiresAt = :expiresAt';

const endedValues = ({ ended: { lastEnded, reason }, now }: EndAt) => ({
  lastEnded,
  reason,
  expiresAt: epochSeconds(after(now, endedRememberedFor)),
});

const endOfRuns = (reason: unknown): EndOfRuns =>
  reason === 'workflow_deleted' ? 'workflow_deleted' : 'workflow_disabled';
