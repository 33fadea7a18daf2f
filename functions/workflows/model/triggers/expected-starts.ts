import { contactKey, type StoredContact } from '../../../../shared/contacts/contact.ts';
import { timestamp } from '../../../../shared/kernel/time.ts';
import type { Key } from '../../../../shared/table/key.ts';
import { readAll } from '../../../../shared/table/read-all.ts';
import type { Stored } from '../../../../shared/table/table.ts';
import { peopleOf } from '../../../../shared/visibility.ts';
import type { Occurrence } from '../definition/topics.ts';
import type { TriggerRow } from '../definition/trigger-rows.ts';
import { enrolmentKey } from '../runs/enrolment.ts';
import { enrolmentIn } from '../runs/entering.ts';
import { refusalKey } from '../runs/refusals.ts';
import { runKey } from '../runs/run.ts';
import { type Enrolment, entered, refusalOf } from './guards.ts';
import { refusalByOwner } from './owners.ts';
import { runIdOf } from './run-id.ts';
import type { StartTables } from './start.ts';

/** A workflow that an occurrence may start runs of. */
export interface Candidate {
  readonly row: TriggerRow;
  /** The trigger nodes whose filters let the occurrence pass. */
  readonly passing: readonly string[];
}

/** What a candidate is expected to start. */
export interface ExpectedStarts extends Candidate {
  /** The passing nodes about which nothing has been decided yet. */
  readonly nodeIds: readonly string[];
  /** Those that the guards are expected to let start: only they take places at the rate of the workflow. */
  readonly starting: ReadonlySet<string>;
}

/** Enrolments as they will be after the expected starts, by contact and workflow. */
export type ExpectedEnrolments = Map<string, Enrolment | undefined>;

/**
 * What an occurrence is expected to start, for all workflows in one round trip. Only the places at the rate of a workflow depend on it: each
 * start is decided again when it is written.
 * @param enrolments is updated, so that the next occurrence of the contact is expected to come after this one.
 */
export async function expectedStarts(
  { table, owners }: Pick<StartTables, 'table' | 'owners'>,
  occurrence: Occurrence,
  candidates: readonly Candidate[],
  enrolments: ExpectedEnrolments,
  now: Date,
): Promise<ExpectedStarts[]> {
  if (candidates.length === 0) {
    return [];
  }
  const { contactId, topic } = occurrence;
  const keys: Key<unknown>[] = [contactKey(contactId)];
  for (const { row, passing } of candidates) {
    const ids = passing.map((nodeId) => runIdOf(occurrence, row.workflowId, nodeId));
    keys.push(enrolmentKey(contactId, row.workflowId), ...ids.map(runKey));
    keys.push(...ids.map((id) => refusalKey(row.workflowId, id)));
  }
  const [records, ownersOfAll] = await Promise.all([
    readAll(table, keys),
    Promise.all(candidates.map(({ row }) => owners.read(row))),
  ]);
  const contact = records[0] as Stored<StoredContact> | undefined;
  const people = contact === undefined ? occurrence.people : peopleOf(contact.data);
  let place = 1;
  return candidates.map((candidate, index) => {
    const { row, passing } = candidate;
    const [stored, ...decisions] = records.slice(place, place + 1 + 2 * passing.length);
    place += 1 + 2 * passing.length;
    const runs = decisions.slice(0, passing.length);
    const refusals = decisions.slice(passing.length);
    const nodeIds = passing.filter((_, at) => runs[at] === undefined && refusals[at] === undefined);
    const name = JSON.stringify([contactId, row.workflowId]);
    const was = enrolments.has(name)
      ? enrolments.get(name)
      : enrolmentIn(stored as Stored<never> | undefined);
    const mayNot = refusalByOwner(ownersOfAll[index], people) !== undefined;
    const isGone = contact === undefined && topic !== 'contact.deleted';
    const before = runs.some((run) => run !== undefined) ? undefined : was;
    let enrolment = was;
    const starting = new Set<string>();
    for (const nodeId of mayNot || isGone ? [] : nodeIds) {
      const causes = occurrence.causedBy?.chain ?? [];
      const { workflowId, reentry } = row;
      if (refusalOf({ workflowId, reentry, causes, before, enrolment, now }) === undefined) {
        starting.add(nodeId);
        enrolment = entered(enrolment, runIdOf(occurrence, workflowId, nodeId), timestamp(now));
      }
    }
    enrolments.set(name, enrolment);
    return { ...candidate, nodeIds, starting };
  });
}
