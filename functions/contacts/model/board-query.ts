import * as z from 'zod/mini';
import { described } from '../../../shared/kernel/descriptions.ts';
import { anyText, atMost, Id, nameLimit, yesOrNo } from '../../../shared/kernel/fields.ts';
import { pipelineTypes, stageLimit } from '../../../shared/pipelines/pipeline.ts';
import { TimeRange } from '../../../shared/time-range.ts';

const wholeNumber = z.int();
const filterText = z.string().check(z.maxLength(1_000));
const ids = z.array(Id).check(z.maxLength(100));

const scalar = z.union([z.string().check(atMost(256)), z.number(), yesOrNo]);
const customFilter = z.union(
  [scalar, z.array(scalar).check(z.maxLength(100))],
  'must be a string of at most 256 characters, a number, a boolean or an array of at most 100 of these',
);

/**
 * The request for a board. Source: specification, POST /api/contacts; decisions 6 for the further filters. No filter shows more
 * than the caller's own scope.
 */
export const BoardQuery = z.object({
  page: z.optional(z.record(anyText, wholeNumber.check(z.minimum(1)))),
  size: z._default(wholeNumber.check(z.minimum(1), z.maximum(100)), 25),
  search: z.optional(z.string().check(atMost(nameLimit))),
  ownerFilter: z._default(Id, 'all'),
  pipelineType: z._default(z.enum(pipelineTypes), 'Contact'),
  pipelineId: z.optional(filterText),
  createdDateRange: z.optional(TimeRange),
  dateRange: z.optional(TimeRange),
  source: z.optional(filterText),
  owner: z.optional(ids),
  assignee: z.optional(ids),
  status: z.optional(filterText),
  customFilters: z.optional(
    z
      .record(anyText, customFilter)
      .check(z.refine((filters) => Object.keys(filters).length <= 50, 'must have at most 50 keys')),
  ),
  stages: z.optional(z.array(filterText).check(z.maxLength(stageLimit))),
  stageIdByName: z.optional(z.record(anyText, anyText)),
  bulkOnly: z.optional(yesOrNo),
  messageStatus: z.optional(z.enum(['all', 'answered', 'unanswered'])),
  lastMessageTimeRange: z.optional(
    described(
      z.object({
        value: z.number().check(z.positive('must be more than 0'), z.maximum(1_000_000)),
        unit: z.enum(['hours', 'days']),
      }),
      { value: 'How many hours or days.', unit: 'Whether `value` is in hours or days.' },
    ),
  ),
  lastMessageDateRange: z.optional(TimeRange),
});
export type BoardQuery = z.output<typeof BoardQuery>;
