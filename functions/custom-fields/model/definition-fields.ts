import * as z from 'zod/mini';
import {
  type FieldDefinition,
  fieldOwners,
  fieldTypes,
  rawSuffix,
} from '../../../shared/contacts/field-definition.ts';
import { nameKey } from '../../../shared/kernel/names/folded.ts';
import { described } from '../../../shared/kernel/schemas/descriptions.ts';
import { anyBoolean, anyString, dateTime, Name } from '../../../shared/kernel/schemas/fields.ts';

/** Options of one definition. */
const optionLimit = 200;

export const Key = Name.check(
  z.refine((key) => key !== '__proto__', 'must not be __proto__'),
  z.refine((key) => !key.endsWith(rawSuffix), `must not end with ${rawSuffix}`),
);

export const Options = z.array(Name).check(
  z.maxLength(optionLimit),
  z.refine(
    (options) => new Set(options.map(nameKey)).size === options.length,
    'must not contain the same option twice',
  ),
);

export const definitionFields = {
  key: Key,
  label: Name,
  type: z.enum(fieldTypes),
  options: z.optional(Options),
  required: z.optional(anyBoolean),
  appliesTo: z.enum(fieldOwners),
};

export const definitionDescriptions = {
  key: `The name of the field in \`customFields\`; unique among the definitions for the same records. It cannot end with \`${rawSuffix}\`.`,
  label: 'What people call the field.',
  type: 'What its values are: [Custom fields](#/Custom%20fields) has a table.',
  options: `The values of \`oneOf\` and \`anyOf\`, which need at least one; at most ${optionLimit}, different in more than case.`,
  required: 'Whether new records must have it, and nobody may take it away.',
  appliesTo: 'Whether contacts or applications have it.',
};

export const DefinitionResponse = described(
  z.object({
    _id: anyString,
    key: anyString,
    label: anyString,
    type: z.enum(fieldTypes),
    options: z.array(anyString),
    required: anyBoolean,
    appliesTo: z.enum(fieldOwners),
    createdAt: dateTime,
    updatedAt: dateTime,
  }),
  {
    ...definitionDescriptions,
    _id: 'The id of the definition.',
    options: 'The values of `oneOf` and `anyOf`; empty for other types.',
    createdAt: 'When it was created.',
    updatedAt: 'When it last changed.',
  },
  { id: 'CustomFieldDefinition', description: 'Says what the values of a custom field are.' },
);
export type DefinitionResponse = FieldDefinition;
