import { timestamp } from '../../../../shared/kernel/time.ts';
import { endingTopics } from '../definition/ending-topics.ts';
import type { Plan } from '../definition/plan.ts';
import { started } from '../execution/engine.ts';
import { newRefusal, type Refusal } from '../runs/refusals.ts';
import type { Run } from '../runs/run.ts';
import { type Enrolment, entered, refusalOf } from './guards.ts';
import { isSeen, refusalByOwner } from './owners.ts';
import { type Start, type Started, type StartingNode, startedRunId } from './start.ts';
import type { StartFacts } from './start-facts.ts';

/** The decision about the nodes of a start. */
export interface DecidedStarts {
  /** One for each node; none if the owner may not see the contact of an event. */
  readonly results: readonly Started[];
  /** The runs that start now. */
  readonly runs: readonly Run[];
  /** Those that may not, by the ids that they would have. */
  readonly refusals: ReadonlyMap<string, Refusal>;
  /** The record of the contact's runs of the workflow afterwards, if it changes. */
  readonly enrolment?: Enrolment | undefined;
}

/** Decides for each node whether its run starts. Earlier decisions stay. Pure. */
export function decideStarts(start: Start, facts: StartFacts, now: Date): DecidedStarts {
  const { row, occurrence, nodes } = start;
  const { owner, people, enrolment: was, earlier, hasStarted } = facts;
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
  let enrolment = was;
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
      (passesFilter ? refusalOf({ workflowId, reentry, causes, before, enrolment, now }) : 'filter_not_met');
    if (refused !== undefined) {
      refusals.set(runId, newRefusal(refused, { contactId, nodeId, chain: causes }, now));
      return { nodeId, refused };
    }
    enrolment = entered(enrolment, timestamp(now));
    runs.push(newRun(start, facts.plan, node, now));
    return { nodeId, runId };
  });
  return { results, runs, refusals, ...(enrolment !== was && { enrolment }) };
}

function newRun(start: Start, plan: Plan, node: StartingNode, now: Date): Run {
  const { row, occurrence } = start;
  const { nodeId, startsAt } = node;
  const { workflowId, userId, most, revision } = row;
  const { contactId, topic, causedBy } = occurrence;
  const run = started(
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
    ...(endedBy.length > 0 && { endedBy }),
    ...(startsAt !== undefined && startsAt > timestamp(now) && { status: 'waiting', startsAt }),
  };
}
