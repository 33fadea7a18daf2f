import type { FieldsOfContact } from '../contacts/field-value.ts';
import { withoutPlaceholderName } from '../contacts/placeholder-contact.ts';
import { filled } from './fill-placeholders.ts';
import { smsLimit } from './sms-limits.ts';

/**
 * The missed-call message for a caller, cut to the length that a text may have. A placeholder without a value also removes the comma and
 * the space before it, because nothing is known about most unknown callers: `Sorry we missed you, {{contactName}}.` becomes
 * `Sorry we missed you.`
 */
export function missedCallText(template: string, { contact, pipelines }: FieldsOfContact): string {
  const caller = { contact: withoutPlaceholderName(contact), pipelines };
  const content = template.replaceAll(/(,? )?(\{\{[^{}]*\}\})/g, (_, before = '', placeholder) => {
    const value = filled(placeholder, caller);
    return value === '' ? '' : `${before}${value}`;
  });
  // A placeholder without a value leaves the comma and the space that followed it at the beginning.
  const text = content === template ? content : content.replace(/^[,;:]? /, '');
  return [...text].slice(0, smsLimit).join('');
}
