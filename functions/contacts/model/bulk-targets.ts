import { readColumns } from '../../../shared/board/board.ts';
import { type BoardPlan, planBoard } from '../../../shared/board/board-plan.ts';
import { rangeEnds } from '../../../shared/board/board-query.ts';
import { loadCustomFieldTests } from '../../../shared/board/custom-filters.ts';
import { readMatches } from '../../../shared/board/read-matches.ts';
import type { SegmentFilter } from '../../../shared/board/segment.ts';
import { readPipelines } from '../../../shared/contacts/pipeline.ts';
import { stagesById } from '../../../shared/contacts/stages.ts';
import { jobExpiry, targetsKey } from '../../../shared/jobs/job.ts';
import type { SliceContext } from '../../../shared/jobs/job-type.ts';
import type { Caller } from '../../../shared/kernel/caller.ts';
import { chunks } from '../../../shared/kernel/chunks.ts';
import { readUsers } from '../../../shared/organizations/visibility.ts';
import { readZoneFor } from '../../../shared/organizations/zone-for.ts';
import type { TableReader } from '../../../shared/table/table.ts';
import { targetsAtOnce } from './contact-targets.ts';

/** What to read for the contacts of a filter in all Contact pipelines, or in the one that it names. */
async function planTargets(table: TableReader, caller: Caller, filter: SegmentFilter, now: Date) {
  const [{ data, version }, users, zone] = await Promise.all([
    readPipelines(table),
    readUsers(table),
    readZoneFor(table, ...rangeEnds({ ...filter, size: 1 })),
  ]);
  const plans = data.pipelines
    .filter(({ _id, type }) => type === 'Contact' && (filter.pipelineId ?? _id) === _id)
    .map(({ _id }) =>
      planBoard({ ...filter, pipelineId: _id, size: 1 }, data.pipelines, { caller, users, zone }, now),
    );
  const [first] = plans;
  const plan: BoardPlan | undefined = first && {
    ...first,
    columns: plans.flatMap(({ columns }) => columns),
  };
  return { plan, stages: stagesById(data.pipelines), pipelinesVersion: version };
}

/** How many contacts a filter has now. */
export async function countTargets(
  table: TableReader,
  caller: Caller,
  filter: SegmentFilter,
  now: Date,
): Promise<number> {
  const customFields = await loadCustomFieldTests(filter.customFilters);
  const { plan, ...board } = await planTargets(table, caller, filter, now);
  if (plan === undefined) {
    return 0;
  }
  const pages = await readColumns(table, { plan, customFields, ...board }, now);
  return pages.values().reduce((sum, { total }) => sum + total, 0);
}

/**
 * Lists the contacts of a filter as those that a job works through.
 * @returns how many there are; 0, without a list, if there must be another number of them.
 */
export async function listTargets(
  { table, caller, job, now }: SliceContext<unknown>,
  filter: SegmentFilter,
  must: number | undefined,
): Promise<number> {
  const customFields = await loadCustomFieldTests(filter.customFilters);
  const { plan } = await planTargets(table, caller, filter, now);
  const found = new Set<string>();
  if (plan !== undefined) {
    for await (const { contacts } of readMatches(table, plan, customFields)) {
      for (const { _id } of contacts) {
        found.add(_id);
      }
    }
  }
  if (must !== undefined && found.size !== must) {
    return 0;
  }
  const expiresAt = jobExpiry(job);
  // The empty part ends the list where an earlier attempt, whose process ended, has written more parts.
  const parts = [...chunks([...found], targetsAtOnce), []];
  await table.putMany(parts.map((data, part) => ({ key: targetsKey(job._id, part), data, expiresAt })));
  return found.size;
}
