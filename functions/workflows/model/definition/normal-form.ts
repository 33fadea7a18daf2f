import { isExactNumber, parseJson } from '../../../../shared/kernel/exact-numbers.ts';
import { normalized } from '../../../../shared/kernel/normal-form.ts';

/** What of JSON may be in another form than NFC. */
const mayDiffer = /[^\0-\x7f]|\\u/;

/**
 * A JSON text as a value whose texts and keys are in NFC, as those of contacts and pipelines are: a document is kept as it was sent, with
 * `é` as one character or as two. Source: decisions 1, "Text".
 */
export function parsedInNormalForm(json: string): unknown {
  const value: unknown = parseJson(json);
  return mayDiffer.test(json) ? inNormalForm(value) : value;
}

function inNormalForm(value: unknown): unknown {
  if (typeof value === 'string') {
    return normalized(value);
  }
  if (Array.isArray(value)) {
    return value.map(inNormalForm);
  }
  if (typeof value !== 'object' || value === null || isExactNumber(value)) {
    return value;
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [normalized(key), inNormalForm(member)]),
  );
}
