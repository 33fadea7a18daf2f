import { crc32 } from 'node:zlib';
import type { Key } from '../../../../shared/table/key.ts';
import type { Step, TableWriter } from '../../../../shared/table/table.ts';
import type { Run } from '../runs/run.ts';
import type { EndOfRuns } from '../workflow.ts';

/**
 * Ends all runs of a workflow at one moment, however many they are. Runs that are cancelled with their workflow, or whose workflow is
 * deleted, have a last revision: the transaction of the request writes it into the gates of the workflow, and from then on no
 * transaction with `passGateStep` of a run of that revision or an earlier one commits. What records of these runs say is brought in line
 * afterwards (`end-workflow-runs`). A workflow that is enabled again goes on with a later revision.
 *
 * While a workflow is disabled, its gates are also closed for starts, `passStartGateStep`: what was to start by triggers that were read
 * before does not start any more once the request is answered.
 *
 * A check costs as much as a write, so the gate is on several rows, by contact, each in a partition of its own, which takes 500 checks a
 * second. There is none until runs are ended, or the workflow is disabled.
 */
export const gateShards = 8;

export const runGateKey = (workflowId: string, shard: number | string): Key<never> => ({
  partition: ['WORKFLOW_GATE', workflowId, String(shard)],
  sort: ['GATE'],
});

export const gatesOf = (workflowId: string): Key<never>[] =>
  Array.from({ length: gateShards }, (_, shard) => runGateKey(workflowId, shard));

/** The gate of a contact's runs. */
export const gateOf = (workflowId: string, contactId: string): Key<never> =>
  runGateKey(workflowId, crc32(contactId) % gateShards);

/** Starts nothing, because the workflow is disabled. */
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
 * Requires, in a transaction, that nobody has ended the runs of this revision: in that of each step with an effect.
 * It costs 2 write units. The transaction otherwise fails with `RunsEnded`.
 */
export function passGateStep(table: TableWriter, { workflowId, contactId, revision }: OfGate): Step {
  return table.require(gateOf(workflowId, contactId), {
    when: notEnded,
    values: { revision },
    otherwise: (existing) => new RunsEnded(endOfRuns(existing?.reason)),
  });
}

/**
 * The same for the transaction of a start, which also requires that the workflow is not disabled; it otherwise fails with `StartsClosed`.
 */
export function passStartGateStep(table: TableWriter, { workflowId, contactId, revision }: OfGate): Step {
  return table.require(gateOf(workflowId, contactId), {
    when: `attribute_not_exists(isClosed) AND (${notEnded})`,
    values: { revision },
    otherwise: () => new StartsClosed(),
  });
}

/**
 * Both for the transaction of a step that starts its own workflow: nobody has ended the runs of its run's revision, and the workflow is not
 * disabled. The transaction otherwise fails with `RunsEnded` or `StartsClosed`.
 */
export function passBothGatesStep(table: TableWriter, { workflowId, contactId, revision }: OfGate): Step {
  return table.require(gateOf(workflowId, contactId), {
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

/** The steps that close all gates of a workflow for starts: of one that is disabled. They cost 2 write units a gate. */
export function closeForStarts(table: TableWriter, workflowId: string): Step[] {
  const closing = { update: 'SET isClosed = :isClosed', values: { isClosed: true } };
  return gatesOf(workflowId).map((key) => table.updateStep(key, closing));
}

/** The steps that open them again: of one that is enabled. */
export function openForStarts(table: TableWriter, workflowId: string): Step[] {
  return gatesOf(workflowId).map((key) => table.updateStep(key, { update: 'REMOVE isClosed' }));
}

const endOfRuns = (reason: unknown): EndOfRuns =>
  reason === 'workflow_deleted' ? 'workflow_deleted' : 'workflow_disabled';
