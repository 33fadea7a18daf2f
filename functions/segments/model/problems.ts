import { boardPipeline, boardStages } from '../../../shared/board/board-plan.ts';
import type { SegmentFilter } from '../../../shared/board/segment.ts';
import type { Pipeline } from '../../../shared/contacts/pipeline.ts';
import { readPipelines } from '../../../shared/contacts/pipeline.ts';
import { readUsers } from '../../../shared/organizations/visibility.ts';
import type { TableReader } from '../../../shared/table/table.ts';

/** The words for users that stand in owner filters instead of ids. */
const words = new Set(['my', 'all', 'team', 'unassigned', 'me']);

/** The users whom a filter names, by where it does. */
function namedUsers({
  ownerFilter,
  owner = [],
  assignee = [],
}: SegmentFilter): [field: string, id: string][] {
  const listed = { owner, assignee };
  const inLists = Object.entries(listed).flatMap(([field, ids]) =>
    ids.map((id, index): [string, string] => [`${field}[${index}]`, id]),
  );
  return [['ownerFilter', ownerFilter] as [string, string], ...inLists].filter(([, id]) => !words.has(id));
}

/** Reads what the filters name, beside the pipelines, and returns what a filter names that is gone. */
export async function readProblems(
  table: TableReader,
  filters: readonly SegmentFilter[],
  pipelines = readPipelines(table),
): Promise<(filter: SegmentFilter) => string[]> {
  const [{ data }, users] = await Promise.all([
    pipelines,
    filters.some((filter) => namedUsers(filter).length > 0) ? readUsers(table) : [],
  ]);
  const userIds = new Set(users.map(({ _id }) => _id));
  return (filter) => [
    ...stageProblems(filter, data.pipelines),
    ...namedUsers(filter)
      .filter(([, id]) => !userIds.has(id))
      .map(([field]) => `${field} is not the id of a user of this organization.`),
  ];
}

function stageProblems(filter: SegmentFilter, pipelines: readonly Pipeline[]): string[] {
  const { pipelineId, pipelineType, stages = [], status, stageIdByName } = filter;
  if (pipelineId !== undefined && pipelines.every(({ _id }) => _id !== pipelineId)) {
    return ['pipelineId is not the id of a pipeline of this organization.'];
  }
  const pipeline = boardPipeline(pipelines, filter);
  if (pipeline === undefined) {
    return [`There is no active ${pipelineType} pipeline.`];
  }
  const isGone = (asked: Pick<SegmentFilter, 'stages' | 'status'>) =>
    boardStages(pipeline, { stageIdByName, ...asked }).length === 0;
  return [
    ...(status !== undefined && isGone({ status }) ? ['status is not a stage of the pipeline.'] : []),
    ...stages.flatMap((name, index) =>
      isGone({ stages: [name] }) ? [`stages[${index}] is not a stage of the pipeline.`] : [],
    ),
  ];
}
