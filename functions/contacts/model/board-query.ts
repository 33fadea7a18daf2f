import * as z from 'zod/mini';
import { pipelineTypes, stageLimit } from '../../../shared/contacts/pipeline.ts';
import { isExactNumber } from '../../../shared/kernel/exact-numbers.ts';
import { AnyNumber } from '../../../shared/kernel/http/plain-numbers.ts';
import { described } from '../../../shared/kernel/schemas/descriptions.ts';
import { anyBoolean, anyString, atMost, Id, nameLimit } from '../../../shared/kernel/schemas/fields.ts';
import { WrittenRange } from './time-range.ts';

const wholeNumber = z.int();
/** A text of at most `limit` code points. */
const textOf = (limit: number) => z.string().check(atMost(limit), z.meta({ maxLength: limit }));
const filterText = textOf(1_000);
const ids = z.array(Id).check(z.maxLength(1_000));

const scalar = z.union([textOf(256), AnyNumber, anyBoolean]);
const customFilter = z.union(
  [scalar, z.array(scalar).check(z.maxLength(100))],
  'must be a string of at most 256 characters, a number, a boolean or an array of at most 100 such values',
);

/** A field that may be absent or empty, and then filters nothing. */
const filter = <S extends z.ZodMiniType>(schema: S, filled = withoutEmpty) =>
  z.optional(z.pipe(z.transform(filled), z.optional(schema)));

/** A field that may be absent or empty, and then has this value. */
function setting<S extends z.ZodMiniType>(schema: S, value: z.output<S>): z.ZodMiniDefault<S> {
  const usual = z._default(schema, value as never);
  // The pipe also takes a missing field, which its type does not say.
  return z.pipe(z.transform(withoutEmpty), usual) as unknown as typeof usual;
}

/**
 * The request for a board. Source: specification, POST /api/contacts; decisions 6 for the further filters. No filter shows more
 * than the caller's own scope.
 */
export const BoardQuery = z.object({
  page: filter(z.record(anyString, wholeNumber.check(z.minimum(1)))),
  size: setting(wholeNumber.check(z.minimum(1), z.maximum(100)), 25),
  search: filter(textOf(nameLimit)),
  ownerFilter: setting(Id, 'all'),
  pipelineType: setting(z.enum(pipelineTypes), 'Contact'),
  pipelineId: filter(Id),
  createdDateRange: filter(WrittenRange),
  dateRange: filter(WrittenRange),
  source: filter(filterText),
  owner: filter(ids),
  assignee: filter(ids),
  status: filter(filterText),
  customFilters: filter(
    z
      .record(anyString, customFilter)
      .check(z.refine((filters) => Object.keys(filters).length <= 50, 'must have at most 50 keys')),
  ),
  stages: filter(z.array(filterText).check(z.maxLength(stageLimit))),
  stageIdByName: filter(z.record(anyString, anyString)),
  bulkOnly: filter(anyBoolean),
  messageStatus: filter(z.enum(['all', 'answered', 'unanswered'])),
  lastMessageTimeRange: filter(
    described(
      z.object({
        value: z.number().check(z.positive('must be greater than 0'), z.maximum(1_000_000)),
        unit: z.enum(['hours', 'days']),
      }),
      { value: 'How many hours or days.', unit: 'Whether `value` is in hours or days.' },
    ),
    unlessEmptyIn,
  ),
  lastMessageDateRange: filter(WrittenRange),
});
export type BoardQuery = z.output<typeof BoardQuery>;

/** The ends of all ranges in the query. */
export function rangeEnds({ createdDateRange, dateRange, lastMessageDateRange }: BoardQuery) {
  return [createdDateRange, dateRange, lastMessageDateRange].flatMap((range) => [range?.start, range?.end]);
}

/**
 * A filter without what is empty in it: `''`, `[]` and null. Undefined if nothing is left; an object stays one. Source: decisions
 * 6, "Empty filters".
 */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(withoutEmpty).filter((item) => item !== undefined);
    return items.length === 0 ? undefined : items;
  }
  if (typeof value === 'object' && value !== null && !isExactNumber(value)) {
    const members = Object.entries(value).map(([key, member]) => [key, withoutEmpty(member)] as const);
    return Object.fromEntries(members.filter(([, member]) => member !== undefined));
  }
  return value === '' || value === null ? undefined : value;
}

/** The same for a filter that needs all of its members; undefined also for one that has no members at all. */
function unlessEmptyIn(value: unknown): unknown {
  const rest = withoutEmpty(value);
  if (typeof rest !== 'object' || rest === null) {
    return rest;
  }
  const [left, sent] = [Object.keys(rest).length, Object.keys(value as object).length];
  return left === 0 || left < sent ? undefined : rest;
}
