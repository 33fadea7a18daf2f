import * as z from 'zod/mini';
import { Tag } from '../../../shared/contacts/contact-fields.ts';
import { Failure } from '../../../shared/kernel/failure.ts';
import type { Descriptions } from '../../../shared/kernel/schemas/descriptions.ts';
import {
  anyBoolean,
  anyString,
  atMost,
  Id,
  labelSchema,
  Name,
  nonEmptyString,
} from '../../../shared/kernel/schemas/fields.ts';
import { customKey, isImportedField, type Mapping, repeatedField } from './columns.ts';
import { isDateFormat, isLocale } from './written-values.ts';

/** Bytes that the key of an upload may have. */
const longestKey = 1_024;

/** Tags that an import gives to all of its contacts. */
const mostTags = 20;

/** What may find the contact of a row. */
export const rowMatches = ['externalId', 'email', 'phone'] as const;
export type RowMatch = (typeof rowMatches)[number];

/** Whatever may be done with a row whose contact is there already. */
export const duplicateRules = ['skip', 'update', 'fail'] as const;

const FieldOfColumn = z.nullable(
  anyString.check(
    atMost(250),
    z.refine(
      isImportedField,
      'must be a field of a contact, or customFields and a name, like customFields.city',
    ),
  ),
);

/** How the rows of a file become contacts. Source: contacts at work, 3. */
export const ImportFields = z.object({
  key: nonEmptyString(longestKey),
  mapping: z.optional(
    z
      .record(anyString, FieldOfColumn)
      .check(
        z.refine(
          (mapping) => Object.values(mapping).some((field) => field !== null),
          'must give at least one column a field',
        ),
      ),
  ),
  match: z.optional(z.enum(rowMatches)),
  onDuplicate: z._default(z.enum(duplicateRules), 'skip'),
  pipelineId: z.optional(Id),
  stage: z.optional(Name),
  owner: z.optional(Id),
  tags: z.optional(z.array(Tag).check(z.maxLength(mostTags))),
  locale: z.optional(labelSchema(50).check(z.refine(isLocale, 'must be a language tag, like en-GB or de'))),
  dateFormat: z.optional(
    labelSchema(50).check(
      z.refine(isDateFormat, 'must have YYYY, MM and DD, and may have HH:mm or HH:mm:ss, like DD.MM.YYYY'),
    ),
  ),
  clearWith: z.optional(nonEmptyString(50)),
  startWorkflows: z.optional(anyBoolean),
  dryRun: z.optional(anyBoolean),
});
export type ImportFields = z.output<typeof ImportFields>;

export const importDescriptions = {
  key: 'The key of a file that you have uploaded.',
  mapping:
    'The field of each column by its name, or null to leave it out. Without it, the response is a preview.',
  match:
    'What finds the contact of a row; for one without it, `externalId`, `email` or `phone`, whichever it has first. By default, the same for all rows.',
  onDuplicate:
    'What to do with a row whose contact is there: skip it, update the contact, or let the row fail.',
  pipelineId: 'The Contact pipeline of new contacts; the active one by default.',
  stage: 'The name of the stage that new contacts enter; a column takes precedence.',
  owner: 'Who owns new contacts; a column takes precedence. By default, you.',
  tags: 'Labels for every contact of the file.',
  locale:
    'How people write dates and numbers where the file is from: in `de` and `en-GB` the day comes first, in `en-US` the month.',
  dateFormat: 'How dates are written in the file, like `DD.MM.YYYY HH:mm`. ISO 8601 is always read.',
  clearWith: 'The word that clears a field. An empty cell never does.',
  startWorkflows: 'Whether workflows start for its contacts.',
  dryRun: 'Whether to only say what each row would do.',
} satisfies Descriptions<typeof ImportFields>;

/**
 * The mapping of columns that the file has.
 * @throws a 400 `Failure` for a column that it does not have and for fields that are given twice.
 */
export function checkedMapping(mapping: Mapping, columns: readonly string[]): Mapping {
  const unknown = Object.keys(mapping).find((column) => !columns.includes(column));
  if (unknown !== undefined) {
    throw new Failure(
      'INVALID',
      `mapping names a column that the file does not have. It has: ${columns.slice(0, 20).join(', ')}`,
    );
  }
  const repeated = repeatedField(mapping);
  if (repeated !== undefined) {
    throw new Failure(
      'INVALID',
      `mapping must give ${customKey(repeated) === undefined ? repeated : 'each custom field'} one column`,
    );
  }
  return mapping;
}
