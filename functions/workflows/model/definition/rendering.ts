import { filledWith } from '../../../../shared/messages/fill-placeholders.ts';
import { contactIn, type FieldSource, fieldValue, rootOf } from './fields.ts';

/**
 * A text with its placeholders filled: those of templates, and the further fields that rules know (`{{event.…}}`, `{{step.<nodeId>.…}}`,
 * `{{businessHours.open}}`).
 * @param most UTF-16 code units that it may grow to. @throws a 400 `Failure` beyond.
 */
export function renderedText(text: string, source: FieldSource, most?: number): string {
  return filledWith(text, contactIn(source.facts), (name) => furtherValue(name, source), { most });
}

function furtherValue(name: string, source: FieldSource): { readonly value: unknown } | undefined {
  const root = rootOf(name);
  return root === undefined || root === 'contact' ? undefined : { value: fieldValue(name, source) };
}
