import type { FieldSource } from '../engine/fields.ts';
import { renderedText } from '../engine/rendering.ts';

/** Fills the placeholders in the texts of a node. */
export interface Texts {
  filled(text: string): string;
  /** Undefined for no text, and for one that is blank once it is filled. */
  filledOrNone(text: string | undefined): string | undefined;
  /** All texts in a JSON value, but for the names of its fields. */
  filledIn<Value>(value: Value): Value;
}

export function textsFrom(source: FieldSource): Texts {
  const filled = (text: string) => renderedText(text, source);
  const filledIn = (value: unknown): unknown => {
    if (typeof value === 'string') {
      return filled(value);
    }
    if (Array.isArray(value)) {
      return value.map(filledIn);
    }
    if (typeof value === 'object' && value !== null) {
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

/** Whether a text depends on the run. */
export function hasPlaceholder(text: string): boolean {
  return text.includes('{{');
}
