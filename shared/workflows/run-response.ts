import * as z from 'zod/mini';
import { definedOnly } from '../kernel/defined-only.ts';
import { described } from '../kernel/schemas/descriptions.ts';
import { anyString, dateTime } from '../kernel/schemas/fields.ts';
import type { Timestamp } from '../kernel/time.ts';
import { type RunStatus, runStatuses, type StepStatus, skipReasons, stepStatuses } from './run-statuses.ts';

/** Source: the page of workflow runs, "Paths". */
const StepResponse = described(
  z.looseObject({
    nodeId: anyString,
    type: anyString,
    status: z.enum(stepStatuses),
    way: z.optional(anyString),
    reason: z.optional(anyString),
    until: z.optional(dateTime),
    at: dateTime,
  }),
  {
    nodeId: 'The node of the graph.',
    type: 'Its type.',
    status: 'What became of it. A wait has two steps: `waiting` when it begins, and `passed` when it ends.',
    way: 'The way out that it took, where there are several.',
    reason: `Why it failed, or why there was nothing to do, in words for people. Of a step that was skipped, one of ${skipReasons.map((reason) => `\`${reason}\``).join(', ')}.`,
    until: 'The latest time at which a wait ends.',
    at: 'When it was done.',
  },
  {
    id: 'WorkflowStep',
    description:
      'A step of a run. Beside these fields, it names what it made or changed: `noteId`, `messageId`, `reminderId` and so on.',
  },
);

/** The meanings of a run's fields. */
export const runDescriptions = {
  _id: 'The id of the run.',
  workflowId: 'The workflow.',
  contactId: 'The contact it is for.',
  revision:
    'Which revision of the workflow it follows: each change of the graph, other than of positions, or of the settings makes the next one.',
  status: 'Where it stands.',
  reason:
    'Why it ended, if not because it came to the end of its graph: of a finished run `stopped`, `goal` or `reply`; of a cancelled one `workflow_disabled`, `workflow_deleted`, `stopped_by_workflow` or `contact_archived`, and absent if somebody cancelled it; of a failed one `too_long`, or what failed in words.',
  steps: 'What it has done, oldest first. They are kept for 90 days after the end of the run.',
  startedAt: 'When it started.',
  finishedAt: 'When it ended; absent until then.',
};

export const RunResponse = described(
  z.object({
    _id: anyString,
    workflowId: anyString,
    contactId: anyString,
    revision: z.int(),
    status: z.enum(runStatuses),
    reason: z.optional(anyString),
    steps: z.array(StepResponse),
    startedAt: dateTime,
    finishedAt: z.optional(dateTime),
  }),
  runDescriptions,
  { id: 'WorkflowRun', description: 'A run of a workflow for a contact.' },
);

/** The part of a run that responses show, beside its steps. */
export interface RunRecord {
  /** A `childId` of the contact. */
  readonly _id: string;
  readonly workflowId: string;
  readonly contactId: string;
  readonly revision: number;
  readonly status: RunStatus;
  /** Why it ended, unless it came to the end of its path. */
  readonly reason?: string;
  readonly startedAt: Timestamp;
  /** Present only of a run that ended. */
  readonly finishedAt?: Timestamp;
}

/** The part of a step that responses show. */
export interface StepRecord {
  readonly nodeId: string;
  readonly type: string;
  readonly status: StepStatus;
  readonly way?: string;
  readonly reason?: string;
  /** The ids of the records that it made or changed, by the name of their field: `{ noteId: '…' }`. */
  readonly resultIds?: Readonly<Record<string, string>>;
  /** The latest time at which a wait ends. */
  readonly until?: Timestamp;
  readonly at: Timestamp;
}

/** A run for a response, with its steps, oldest first. */
export function toRunResponse(run: RunRecord, steps: readonly StepRecord[]): z.input<typeof RunResponse> {
  const { _id, workflowId, contactId, revision, status, reason, startedAt, finishedAt } = run;
  return {
    ...{ _id, workflowId, contactId, revision, status },
    ...definedOnly({ reason }),
    steps: steps.map(toStepResponse),
    startedAt,
    ...definedOnly({ finishedAt }),
  };
}

function toStepResponse({ nodeId, type, status, way, reason, resultIds, until, at }: StepRecord) {
  return {
    nodeId,
    type,
    status,
    ...definedOnly({ way, reason }),
    ...resultIds,
    ...definedOnly({ until }),
    at,
  };
}
