import * as z from 'zod';
import { codePoints, Id, nameLimit } from '../kernel/fields.ts';
import { pipelineTypes, stageLimit } from '../pipelines/pipeline.ts';
import { TimeRange } from '../time-range.ts';

const pattern = z.string().refine((value) => codePoints(value) <= 256, 'must have at most 256 characters');
const scalar = z.union([pattern, z.number(), z.boolean()]);
const customFilter = z.union(
  [scalar, z.array(scalar).max(100)],
  'must be a string of at most 256 characters, a number, a boolean or an array of at most 100 of these',
);

/**
 * What a board may be asked for. Source: specification, POST /api/contacts; the names of the further filters and what they
 * mean: decisions 6. Nobody sees more than the own scope, whatever is asked.
 */
export const BoardQuery = z.object({
  page: z
    .record(z.string(), z.number().int('must be a whole number').min(1))
    .optional()
    .describe(
      'Page numbers from 1, by stage id or stage name; a missing stage is at page 1, an unknown one is ignored.',
    ),
  size: z
    .number()
    .int('must be a whole number')
    .min(1)
    .max(100)
    .default(25)
    .describe('Contacts a stage, 1 to 100.'),
  search: z
    .string()
    .refine((value) => codePoints(value) <= nameLimit, 'must have at most 200 characters')
    .optional()
    .describe(
      'Substring of first name, last name, "first last" or a phone number, whatever the case; for phone numbers also by digits alone.',
    ),
  ownerFilter: Id.default('all').describe('`my`, `all`, `team`, `unassigned`, or the id of a user.'),
  pipelineType: z.enum(pipelineTypes).default('Contact'),
  pipelineId: z.string().max(128).optional().describe('The active pipeline of the type when absent.'),
  createdDateRange: TimeRange.optional().describe('Window on createdAt, both ends inclusive.'),
  dateRange: TimeRange.optional().describe('Kept for old clients: `createdDateRange` wins.'),
  source: z.string().max(1_000).optional().describe('Equal to the source; boards of contacts only.'),
  owner: z
    .array(Id)
    .max(100)
    .optional()
    .describe(
      'Users of whom one is creator, owner or assignee; overrides `ownerFilter`. An empty list filters nothing.',
    ),
  assignee: z
    .array(Id)
    .max(100)
    .optional()
    .describe('Users of whom one is assigned to a conversation of the contact.'),
  status: z.string().max(1_000).optional().describe('One stage alone, by id or else by name.'),
  customFilters: z
    .record(z.string(), customFilter)
    .refine((filters) => Object.keys(filters).length <= 50, 'must have at most 50 keys')
    .optional()
    .describe(
      'By name of a custom field. A string is a regular expression, whatever the case, in RE2 syntax; numbers and booleans are equal; of an array, any matches, and an empty one filters nothing.',
    ),
  stages: z
    .array(z.string().max(1_000))
    .max(stageLimit)
    .optional()
    .describe('Names of the stages wanted, in the order of the answer.'),
  stageIdByName: z
    .record(z.string(), z.string())
    .optional()
    .describe('Stage ids by the names in `stages`; entries outside the pipeline are ignored.'),
  bulkOnly: z.boolean().optional().describe('Only contacts of a bulk import.'),
  messageStatus: z
    .enum(['all', 'answered', 'unanswered'])
    .optional()
    .describe('`answered`: the last message went out; `unanswered`: the last message came in.'),
  lastMessageTimeRange: z
    .object({
      value: z.number().positive('must be more than 0').max(1_000_000),
      unit: z.enum(['hours', 'days']),
    })
    .optional()
    .describe('Only contacts without a message within this time until now.'),
  lastMessageDateRange: TimeRange.optional().describe(
    'Window on the time of the last message, both ends inclusive.',
  ),
});
export type BoardQuery = z.output<typeof BoardQuery>;
