import { type BoardPlan, type BoardViewer, planBoard } from '../../../shared/board/board-plan.ts';
import { contactInRow } from '../../../shared/board/board-row.ts';
import { searchQuery } from '../../../shared/board/search-page.ts';
import { indexedContact } from '../../../shared/column-index/indexed-contact.ts';
import { countTags } from '../../../shared/column-index/search-columns.ts';
import { boardRange } from '../../../shared/contact-aggregate/card.ts';
import type { Pipeline } from '../../../shared/contacts/pipeline.ts';
import { nameKey } from '../../../shared/kernel/names/folded.ts';
import type { TableReader } from '../../../shared/table/table.ts';

/** A tag and the number of contacts that have it. */
export interface TagCount {
  readonly tag: string;
  readonly count: number;
}

/** The tags of the contacts that the viewer may see, exactly, in alphabetical order. */
export async function readTagCounts(
  table: TableReader,
  pipelines: readonly Pipeline[],
  viewer: BoardViewer,
  now: Date,
): Promise<TagCount[]> {
  const counted = await Promise.all(
    pipelines
      .filter(({ type }) => type === 'Contact')
      .map((pipeline) => {
        const query = {
          ownerFilter: 'all',
          pipelineType: 'Contact',
          pipelineId: pipeline._id,
          size: 1,
        } as const;
        return countInPipeline(table, pipeline, planBoard(query, pipelines, viewer, now), now);
      }),
  );
  const byName = new Intl.Collator('en', { numeric: true }).compare;
  return joined(counted.flat()).sort((one, other) => byName(one.tag, other.tag));
}

/** From the index of the pipeline's contacts, or from its cards while there is none. */
async function countInPipeline(
  table: TableReader,
  pipeline: Pipeline,
  plan: BoardPlan,
  now: Date,
): Promise<(readonly [tag: string, count: number])[]> {
  const query = searchQuery(plan, []);
  const counts = await countTags(table, pipeline, query, now);
  if (counts !== undefined) {
    return counts;
  }
  const listed = plan.columns.map(async (column) => {
    const tags: string[] = [];
    for await (const rows of table.rows(boardRange(column.stage._id, ['all']))) {
      const contacts = rows.map((row) => indexedContact(contactInRow(row, column)));
      tags.push(...contacts.filter((contact) => query.matches(contact)).flatMap((contact) => contact.tags));
    }
    return tags.map((tag) => [tag, 1] as const);
  });
  return (await Promise.all(listed)).flat();
}

/** Tags that differ in case alone are one, in the spelling that most contacts have. */
function joined(counts: readonly (readonly [tag: string, count: number])[]): TagCount[] {
  const byKey = new Map<string, Map<string, number>>();
  for (const [tag, count] of counts) {
    const key = nameKey(tag);
    const spellings = byKey.get(key) ?? new Map<string, number>();
    byKey.set(key, spellings.set(tag, (spellings.get(tag) ?? 0) + count));
  }
  return [...byKey.values()].flatMap((spellings) => {
    const [[tag, most], ...others] = [...spellings].sort(
      ([a, ofA], [b, ofB]) => ofB - ofA || (a < b ? -1 : 1),
    ) as [[string, number], ...[string, number][]];
    const count = others.reduce((sum, [, more]) => sum + more, most);
    return count === 0 ? [] : [{ tag, count }];
  });
}
