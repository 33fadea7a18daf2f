import type { StoredContact } from '../contacts/contact.ts';
import { placeholderSourceOf } from '../contacts/placeholder-contact.ts';
import { type Addressee, rendered } from './fill-placeholders.ts';
import { smsLimit } from './sms-limits.ts';

/**
 * The missed-call message for a caller, cut to the length that a text may have. A placeholder without a value takes the comma and the
 * space before it along, because of most unknown callers nothing is known: `Sorry we missed you, {{contactName}}.` becomes
 * `Sorry we missed you.` The name of a placeholder contact, like `Unknown Caller`, is for users and never sent.
 */
export function missedCallText(template: string, caller: Addressee & Pick<StoredContact, 'source'>): string {
  const isNamed = placeholderSourceOf(caller) === undefined;
  const addressee = isNamed ? caller : { ...caller, firstName: '', lastName: '' };
  const filled = template.replaceAll(/(,? )?(\{\{[^{}]*\}\})/g, (_, before = '', placeholder) => {
    const value = rendered(placeholder, addressee);
    return value === '' ? '' : `${before}${value}`;
  });
  // A placeholder without a value leaves the comma and the space that followed it at the beginning.
  const text = filled === template ? filled : filled.replace(/^[,;:]? /, '');
  return [...text].slice(0, smsLimit).join('');
}
