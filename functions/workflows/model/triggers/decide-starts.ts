import { hour, type Timestamp, timestamp } from '../../../../shared/kernel/time.ts';
import { endingTopics, type Plan, type Reentry } from '../definition/plan.ts';
import { startingRun } from '../execution/engine.ts';
import { newRefusal, type Refusal, type RefusalReason } from '../runs/refusals.ts';
import type { Run } from '../runs/run.ts';
import { isSeen, refusalByOwner } from './owners.ts';
import { type Start, type Started, type StartingNode, startedRunId } from './start.ts';
import type { StartFacts } from './start-facts.ts';

/** The decision about the nodes of a start. */
export interface DecidedStarts {
  /** One for each node; none if the owner may not see the contact of an event. */
  readonly results: readonly Started[];
  /** The runs that start now. */
  readonly runs: readonly Run[];
  /** The starts that are refused, by the ids that their runs would have. */
  readonly refusals: ReadonlyMap<string, Refusal>;
  /** The record of the contact's runs of the workflow afterwards, if it changes. */
  readonly enrollment?: Enrollment | undefined;
}

/** Decides for each node whether its run starts. Earlier decisions stay. Pure. */
export function decideStarts(start: Start, facts: StartFacts, now: Date): DecidedStarts {
  const { row, occurrence, nodes } = start;
  const { owner, people, enrollment: was, earlier, hasStarted } = facts;
  const { workflowId, reentry } = row;
  const { contactId, causedBy } = occurrence;
  const causes = causedBy?.chain ?? [];
  const refusals = new Map<string, Refusal>();
  if (occurrence.topic !== 'manual.started' && !isSeen(owner, people)) {
    // Even the fact that a filter let the event pass would reveal something about a contact that the owner may not see.
    return { results: [], runs: [], refusals };
  }
  // Whether the contact may enter again was decided with the first run of the occurrence.
  const before = hasStarted ? undefined : was;
  let enrollment = was;
  const runs: Run[] = [];
  const results = nodes.map((node): Started => {
    const { nodeId, passesFilter = true } = node;
    const known = earlier.get(nodeId);
    if (known !== undefined) {
      return known;
    }
    const runId = startedRunId(node, start);
    const refused =
      refusalByOwner(owner, people) ??
      (passesFilter
        ? refusalReason({ workflowId, reentry, causes, before, enrollment, now })
        : 'filter_not_met');
    if (refused !== undefined) {
      refusals.set(runId, newRefusal(refused, { contactId, nodeId, chain: causes }, now));
      return { nodeId, refused };
    }
    enrollment = enrollmentAfterStart(enrollment, timestamp(now));
    runs.push(newRun(start, facts.plan, node, now));
    return { nodeId, runId };
  });
  return { results, runs, refusals, ...(enrollment !== was && { enrollment }) };
}

function newRun(start: Start, plan: Plan, node: StartingNode, now: Date): Run {
  const { row, occurrence } = start;
  const { nodeId, startsAt } = node;
  const { workflowId, userId, most, revision } = row;
  const { contactId, topic, causedBy, jobId } = occurrence;
  const run = startingRun(
    {
      _id: startedRunId(node, start),
      ...{ workflowId, contactId, userId, revision, topic },
      triggerId: nodeId,
      chain: [...(causedBy?.chain ?? []), workflowId],
    },
    now,
  );
  const endedBy = topic === 'contact.deleted' ? [] : endingTopics(plan);
  return {
    ...run,
    ...(most && { most }),
    ...(jobId !== undefined && { jobId }),
    ...(endedBy.length > 0 && { endedBy }),
    ...(startsAt !== undefined && startsAt > timestamp(now) && { status: 'waiting', startsAt }),
  };
}

/** How many runs may have caused each other before one. Source: the page of workflow runs, "Guards". */
export const longestChain = 5;

/** How many runs of a workflow may start for a contact within an hour. Source: the page of workflow runs, "Guards". */
export const startsInAnHour = 20;

/** The runs that a contact's record of a workflow tells of. */
export interface Enrollment {
  readonly running: number;
  /** When the last ones started, oldest first; not more than `startsInAnHour`. */
  readonly lastStarts: readonly Timestamp[];
}

interface Entering {
  readonly workflowId: string;
  readonly reentry: Reentry;
  /** The workflows of the runs that led to the event, the first one first. */
  readonly causes: readonly string[];
  /** Before what happened. Undefined for a contact that never entered. */
  readonly before: Enrollment | undefined;
  /** With the runs that have started for what happened: each trigger of the workflow starts one of its own. */
  readonly enrollment: Enrollment | undefined;
  readonly now: Date;
}

/** Why a contact may not enter a workflow; undefined if it may. */
function refusalReason({
  workflowId,
  reentry,
  causes,
  before,
  enrollment,
  now,
}: Entering): RefusalReason | undefined {
  const isRound = reentry !== 'always' && causes.includes(workflowId);
  if (causes.length > longestChain || isRound) {
    return 'loop_guard';
  }
  if (before !== undefined && (reentry === 'never' || (reentry === 'after_finish' && before.running > 0))) {
    return 'reentry';
  }
  const since = now.getTime() - hour;
  const recent = (enrollment?.lastStarts ?? []).filter((at) => Date.parse(at) > since);
  return recent.length >= startsInAnHour ? 'rate_of_contact' : undefined;
}

/** The record after the start of a run. */
function enrollmentAfterStart(enrollment: Enrollment | undefined, at: Timestamp): Enrollment {
  const { running, lastStarts } = enrollment ?? { running: 0, lastStarts: [] };
  return { running: running + 1, lastStarts: [...lastStarts, at].slice(-startsInAnHour) };
}
