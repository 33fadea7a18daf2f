import * as z from 'zod/mini';
import { pipelineTypes, stageLimit } from '../contacts/pipeline.ts';
import { isExactNumber } from '../kernel/exact-numbers.ts';
import { AnyNumber } from '../kernel/http/plain-numbers.ts';
import { type Descriptions, described } from '../kernel/schemas/descriptions.ts';
import { anyBoolean, anyString, atMost, Id, nameLimit } from '../kernel/schemas/fields.ts';
import { WrittenRange } from './time-range.ts';

const wholeNumber = z.int();
/** A text of at most `limit` code points. */
const textOf = (limit: number) => z.string().check(atMost(limit), z.meta({ maxLength: limit }));
const filterText = textOf(1_000);
const ids = z.array(Id).check(z.maxLength(1_000));

const tags = z.array(textOf(50)).check(z.maxLength(50));

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
  tags: filter(tags),
  tagsAll: filter(tags),
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

/** The descriptions of the request for a board. */
export const boardDescriptions = {
  page: 'Page numbers from 1, by stage id, or by stage name in any case; a stage left out is at page 1, an unknown stage is ignored.',
  size: 'Contacts per stage, 1 to 100.',
  search:
    'Text to find in the first name, last name, "first last", "last first" or a phone number. Neither case (`ß` is `ss`) nor accents, vowel points, invisible characters or the kind of an apostrophe, hyphen or blank matter. Phone numbers are also found in any usual notation: by their digits alone, with `00`, `tel:` or a national `0` in front.',
  ownerFilter:
    '`my`, `all`, `team`, `unassigned`, or the id of a user. `me`, also in `owner` and `assignee`, is you.',
  pipelineType: 'Whether the board shows contacts or applications.',
  pipelineId: 'Takes precedence over `pipelineType`. By default, the active pipeline of that type.',
  createdDateRange:
    'Only contacts (on a board of applications: only applications) created in this range, both ends inclusive.',
  dateRange: 'Kept for old clients; `createdDateRange` takes precedence.',
  source: 'Only contacts with this source, in any case; ignored on boards of applications.',
  owner:
    'User ids: only contacts that one of these users created, owns or is assigned to. Overrides `ownerFilter`. At most 1,000.',
  assignee:
    'User ids: only contacts with a conversation that one of these users is assigned to. At most 1,000.',
  status: 'Only this stage, by id or else by name in any case.',
  customFilters:
    'Values by name of a custom field. A string is a regular expression in RE2 syntax that ignores case (`ß` is `ss`), not accents, and looks at the first 4,096 characters of the field; numbers and booleans must be equal; an array matches if any of its values does. Expressions that would take too long are refused: words without repetitions cost the least.',
  stages: 'Names of the stages to return, in any case, in this order.',
  stageIdByName: 'The ids of the stages in `stages`, by name; entries outside the pipeline are ignored.',
  bulkOnly: 'Only contacts that came with a bulk import.',
  tags: 'Only contacts with one of these tags, in any case.',
  tagsAll: 'Only contacts with all of these tags, in any case.',
  messageStatus:
    '`answered`: the last message went out; `unanswered`: the last message came in. Messages that failed or were not delivered do not count, nor do texts that the service or a workflow sends by itself: whoever got nothing else still waits.',
  lastMessageTimeRange: 'Only contacts without a message in this period, which ends now.',
  lastMessageDateRange: 'Only contacts whose last message is in this range, both ends inclusive.',
} satisfies Descriptions<typeof BoardQuery>;

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
