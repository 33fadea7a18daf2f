import { filledWith } from '../../../../shared/messages/fill-placeholders.ts';
import { type FieldSource, fieldValue, rootOf } from './fields.ts';

/**
 * A text with its placeholders filled: those of templates, and every field that rules know (`{{event.…}}`, `{{step.<nodeId>.…}}`,
 * `{{contact.stage}}`). The text after a bar replaces a missing value: `{{firstName|there}}`.
 * @param most UTF-16 code units that it may grow to. @throws a 400 `Failure` beyond.
 */
export function renderedText(text: string, source: FieldSource, most?: number): string {
  return filledWith(
    text,
    source.facts.state?.contact,
    (name) => (rootOf(name) === undefined ? undefined : { value: fieldValue(name, source) }),
    { most },
  );
}
