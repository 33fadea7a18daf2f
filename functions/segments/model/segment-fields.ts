import * as z from 'zod/mini';
import { BoardQuery, boardDescriptions } from '../../../shared/board/board-query.ts';
import { loadCustomFieldTests } from '../../../shared/board/custom-filters.ts';
import type { Segment, SegmentFilter } from '../../../shared/board/segment.ts';
import { definedOnly } from '../../../shared/kernel/defined-only.ts';
import { described } from '../../../shared/kernel/schemas/descriptions.ts';
import { anyBoolean, anyString, dateTime, Name } from '../../../shared/kernel/schemas/fields.ts';

/** Bytes of a filter as JSON. A page of segments is one response, which the platform limits to 6 MB. */
const filterLimit = 32 * 1024;

const { page: _, size: __, ...filterDescriptions } = boardDescriptions;

export const segmentFields = {
  name: Name,
  filter: described(
    z
      .omit(BoardQuery, { page: true, size: true })
      .check(
        z.refine(
          (filter) => Buffer.byteLength(JSON.stringify(filter)) <= filterLimit,
          `must have at most ${filterLimit / 1024} KB as JSON`,
        ),
      ),
    filterDescriptions,
  ),
  isShared: z.optional(anyBoolean),
};

export const segmentDescriptions = {
  name: 'What people call it.',
  filter:
    'As the body of `POST /api/contacts`, without pages. `me` in `ownerFilter`, `owner` and `assignee` is the user who reads.',
  isShared: 'Whether the whole organization may use it, or only its creator.',
};

/** The filter as it is stored. @throws a 400 `Failure` for an expression that a board would refuse. */
export async function readFilter(filter: SegmentFilter): Promise<SegmentFilter> {
  await loadCustomFieldTests(filter.customFilters);
  return definedOnly(filter) as SegmentFilter;
}

export const Problems = z.array(anyString);
export const problemsMeaning =
  'What the filter names that is gone, in a sentence each: it finds nothing for that. Empty if all is there.';

export const SegmentResponse = described(
  z.object({
    _id: anyString,
    name: anyString,
    filter: z.record(anyString, z.unknown()),
    isShared: anyBoolean,
    createdBy: anyString,
    createdAt: dateTime,
    updatedAt: dateTime,
    problems: Problems,
  }),
  {
    ...segmentDescriptions,
    _id: 'The id of the segment.',
    createdBy: 'The id of its creator.',
    createdAt: 'When it was created.',
    updatedAt: 'When it last changed.',
    problems: problemsMeaning,
  },
  { id: 'Segment', description: 'A filter of the board that is kept under a name.' },
);

export const toSegmentResponse = (segment: Segment, problems: string[]) => ({
  ...segment,
  filter: { ...segment.filter },
  problems,
});
