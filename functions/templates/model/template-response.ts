import * as z from 'zod/mini';
import { described } from '../../../shared/kernel/schemas/descriptions.ts';
import {
  anyBoolean,
  anyString,
  atMost,
  isNotEmpty,
  labelSchema,
  Name,
  nameLimit,
} from '../../../shared/kernel/schemas/fields.ts';
import { type StoredTemplate, templateTypes } from '../../../shared/messages/template.ts';

/** Code points of a template's text, with its placeholders. */
const templateLimit = 10_000;

/** Source: specification, "Template". */
export const TemplateResponse = described(
  z.object({
    _id: anyString,
    name: anyString,
    template: anyString,
    type: z.enum(templateTypes),
    category: anyString,
  }),
  {
    _id: 'The id of the template.',
    name: 'Its name.',
    template: 'The text, with placeholders like `{{firstName}}`.',
    type: 'What it is for.',
    category: 'The group it is listed in; may be empty.',
  },
  { id: 'Template', description: 'A text with placeholders, to be filled for a contact.' },
);

export const TemplateFields = {
  name: Name,
  template: anyString.check(
    atMost(templateLimit),
    isNotEmpty,
    z.meta({ minLength: 1, maxLength: templateLimit }),
  ),
  type: z.enum(templateTypes),
  category: labelSchema(nameLimit),
  isShared: anyBoolean,
};

export const templateDescriptions = {
  name: 'The name of the template.',
  template:
    'The text; may contain placeholders like `{{firstName}}`, or `{{firstName|there}}` with what takes the place of a missing value.',
  type: 'What it is for.',
  category: 'The group it is listed in.',
  isShared: 'Whether the whole organization may use it; otherwise only its creator may.',
};

export function toTemplateResponse({ _id, name, template, type, category }: StoredTemplate) {
  return { _id, name, template, type, category };
}
