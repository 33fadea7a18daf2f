import { isExactNumber } from '../../../../shared/kernel/exact-numbers.ts';
import { filledWith } from '../../../../shared/messages/fill-placeholders.ts';
import { contactIn, type FieldSource, fieldRoot, fieldValue } from './fields.ts';

/**
 * UTF-16 code units that all texts of a step may have together once they are filled: more than any operation takes, and less than memory
 * that others need.
 */
const filledLimit = 100_000;

/** Fills the placeholders in the texts of a node. @throws a 400 `Failure` if they become longer than `filledLimit`. */
export interface Texts {
  filled(text: string): string;
  /** Undefined without a text, and for a text that is blank once it is filled. */
  filledOrNone(text: string | undefined): string | undefined;
  /** Fills all texts in a JSON value except the names of its fields. */
  filledIn<Value>(value: Value): Value;
}

/** Fills texts of one node with these context. All of them together may become `filledLimit` characters long. */
export function textsFrom(source: FieldSource): Texts {
  let left = filledLimit;
  const filled = (text: string) => {
    const result = renderedText(text, source, left);
    left -= result.length;
    return result;
  };
  const filledIn = (value: unknown): unknown => {
    if (typeof value === 'string') {
      return filled(value);
    }
    if (Array.isArray(value)) {
      return value.map(filledIn);
    }
    if (typeof value === 'object' && value !== null && !isExactNumber(value)) {
      return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, filledIn(member)]));
    }
    return value;
  };
  return {
    filled,
    filledOrNone(text) {
      const result = text === undefined ? '' : filled(text).trim();
      return result === '' ? undefined : result;
    },
    filledIn: <Value>(value: Value) => filledIn(value) as Value,
  };
}

/**
 * A text with its placeholders filled: those of templates, and the further fields that rules know (`{{event.…}}`, `{{step.<nodeId>.…}}`,
 * `{{businessHours.open}}`).
 * @param most UTF-16 code units that it may grow to. @throws a 400 `Failure` beyond.
 */
export function renderedText(text: string, source: FieldSource, most?: number): string {
  return filledWith(text, contactIn(source.context), (name) => furtherValue(name, source), { most });
}

function furtherValue(name: string, source: FieldSource): { readonly value: unknown } | undefined {
  const root = fieldRoot(name);
  return root === undefined || root === 'contact' ? undefined : { value: fieldValue(name, source) };
}
