import { contactFields, contactFieldValue, type FieldsOfContact } from '../contacts/field-value.ts';
import { type Pipeline, readPipelines } from '../contacts/pipeline.ts';
import { digitsIn, isNumber } from '../kernel/exact-numbers.ts';
import { Failure } from '../kernel/failure.ts';
import { nameKey } from '../kernel/names/folded.ts';
import { normalized } from '../kernel/normal-form.ts';
import { isVisible } from '../kernel/schemas/fields.ts';
import { valueAt } from '../kernel/value-at.ts';
import type { TableReader } from '../table/table.ts';

/** The names that need no `contact.` before them, and the field of a contact that each stands for. Source: decisions 10, "Placeholders". */
const shortNames: Readonly<Record<string, string>> = {
  firstName: 'firstName',
  lastName: 'lastName',
  fullName: 'fullName',
  contactName: 'fullName',
  email: 'email',
  phone: 'phone',
};

/** The beginnings of names that only workflows fill. */
const rootsOfWorkflows = ['event.', 'step.', 'businessHours.'];

const placeholder = /\{\{([^{}|]*)(?:\|([^{}]*))?\}\}/g;

/**
 * Fills the placeholders of a text with a contact's data. The only place that knows them: `{{firstName}}`, `{{lastName}}`, `{{fullName}}`,
 * `{{contactName}}` (the full name), `{{email}}`, `{{phone}}` (the primary number), `{{contact.<field>}}` with any field that workflows
 * know, or the name of a custom field. Neither case nor spaces inside the braces matter, but where two fields differ in case alone, the
 * spelling decides. A list becomes `a, b`. A missing value, or one that shows nothing, becomes nothing, or the text after a bar: `{{firstName|there}}`. The filled text
 * is in NFC, in which a letter takes the least room.
 */
export function filled(text: string, known: FieldsOfContact, limit?: LengthLimit): string {
  return filledWith(text, known, () => undefined, limit);
}

/** How long a filled text may become. */
export interface LengthLimit {
  /** UTF-16 code units. Without it the text may become as long as its values make it. */
  readonly most?: number | undefined;
  /** The message of the 400 for a text that would become longer. */
  readonly refusal?: string;
}

/**
 * The same, with further names. `further` returns undefined for a name that is not one of them.
 * @throws a 400 `Failure` if the text would grow beyond its limit, before it is built.
 */
export function filledWith(
  text: string,
  known: FieldsOfContact | undefined,
  further: (name: string) => { readonly value: unknown } | undefined,
  { most = Number.POSITIVE_INFINITY, refusal = tooLong }: LengthLimit = {},
): string {
  let { length } = text;
  const valueIn = known === undefined ? () => undefined : valuesOf(known);
  const result = text.replaceAll(placeholder, (whole, inside: string, fallback = '') => {
    const name = nameIn(inside);
    const value = textOf((further(name) ?? { value: valueIn(name) }).value);
    const filling: string = isVisible(value) ? value : fallback.trim();
    length += filling.length - whole.length;
    if (filling.length > whole.length && length > most) {
      throw new Failure('INVALID', refusal);
    }
    return filling;
  });
  return normalized(result);
}

const tooLong = 'The text is too long once its placeholders are filled';

/** Whether a text depends on whom it is for. */
export function hasPlaceholder(text: string): boolean {
  return placeholderNames(text).length > 0;
}

/** The names in the placeholders of a text, as they are written there. */
export function placeholderNames(text: string): string[] {
  return text.includes('{{')
    ? Array.from(text.matchAll(placeholder), ([, inside = '']) => nameIn(inside))
    : [];
}

const nameIn = (inside: string) => normalized(inside.trim());

const byKey = (names: readonly string[]): ReadonlyMap<string, string> =>
  new Map(names.toReversed().map((name) => [nameKey(name), name]));

const shortByKey = byKey(Object.keys(shortNames));
const fieldsByKey = byKey(contactFields);

/** The text after `contact.`; the name itself without it. */
const pathOf = (name: string) => name.replace(/^contact\./i, '');

/** A name that says itself that it is that of a custom field, and which one. */
const ofCustomField = /^customFields\.(.+)$/is;

/** The field that every contact has, and that this name means in any case; undefined for the name of a custom field. */
function fieldOf(name: string): string | undefined {
  const path = pathOf(name);
  return path === name ? shortNames[shortByKey.get(nameKey(name)) ?? ''] : fieldsByKey.get(nameKey(path));
}

/** A custom field in the spelling of the name comes before any field in another spelling, but after a field that is spelled so. */
function valuesOf(known: FieldsOfContact): (name: string) => unknown {
  const { customFields } = known.contact;
  let customByKey: ReadonlyMap<string, string> | undefined;
  return (name) => {
    const path = pathOf(name);
    const field = fieldOf(name);
    if (field !== undefined && (field === path || Object.hasOwn(shortNames, name))) {
      return contactFieldValue(field, known);
    }
    const custom = ofCustomField.exec(path)?.[1] ?? path;
    const exact = valueAt(customFields, custom);
    if (exact !== undefined || field !== undefined) {
      return exact ?? contactFieldValue(field ?? '', known);
    }
    customByKey ??= byKey(Object.keys(customFields));
    const other = customByKey.get(nameKey(custom));
    return other === undefined ? undefined : customFields[other];
  };
}

/** The pipelines if a text names the stage or the pipeline of its contact: only then they are read. */
export async function readPipelinesFor(text: string, table: TableReader): Promise<readonly Pipeline[]> {
  const fields = placeholderNames(text).map(fieldOf);
  return fields.includes('stage') || fields.includes('pipeline')
    ? (await readPipelines(table)).data.pipelines
    : [];
}

/**
 * Warns the writer of a text of names in it that may never be filled: a custom field is any name, so a misspelt name cannot be told
 * from one. `{{contact.customFields.<name>}}` says that it is one. Undefined where nothing is doubtful.
 * @param isOfWorkflow whether a workflow fills the text.
 */
export function doubtfulPlaceholder(name: string, isOfWorkflow: boolean): string | undefined {
  if (rootsOfWorkflows.some((root) => name.startsWith(root))) {
    return isOfWorkflow ? undefined : `${shown(name)} is filled by workflows only.`;
  }
  return fieldOf(name) !== undefined || ofCustomField.test(pathOf(name))
    ? undefined
    : `${shown(name)} is not a field of every contact: it is filled only for contacts with a custom field of that name.`;
}

/** Names that a message tells of; nobody would read more. */
const mostTold = 5;

/** `Template created` with what to tell of its text: `Template created. {{nmae}} is not a field …` */
export function withDoubtsAbout(text: string, message: string): string {
  const doubts = doubtsAbout(text);
  return doubts.length === 0 ? message : [`${message}.`, ...doubts].join(' ');
}

/** All that is to be told of a text that no workflow fills, up to five names. */
export function doubtsAbout(text: string): string[] {
  const names = [...new Set(placeholderNames(text))];
  const doubts = names.flatMap((name) => doubtfulPlaceholder(name, false) ?? []).slice(0, mostTold);
  return hasLooseBraces(text) ? [...doubts, looseBraces] : doubts;
}

/** Whether a text has braces that look like those of a placeholder, and are none: they stay in the filled text. */
export const hasLooseBraces = (text: string): boolean => /\{\{|\}\}/.test(text.replaceAll(placeholder, ' '));

export const looseBraces =
  'A {{ or }} belongs to no placeholder that can be read, and stays in the text: inside a placeholder there are no braces.';

const longestShown = 60;

function shown(name: string): string {
  const letters = [...name.slice(0, 2 * longestShown)];
  return `{{${letters.length > longestShown ? `${letters.slice(0, longestShown - 1).join('')}…` : letters.join('')}}}`;
}

/** A list becomes its members, with commas between them. Values that make no sense in a sentence are left out. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) {
    return value.map(wordOf).filter(Boolean).join(', ');
  }
  return wordOf(value);
}

function wordOf(value: unknown): string {
  if (isNumber(value)) {
    return digitsIn(value);
  }
  return typeof value === 'string' || typeof value === 'boolean' ? String(value) : '';
}
