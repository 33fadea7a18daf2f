import type { FieldRules } from '../../../shared/contacts/checked-fields.ts';
import { rawSuffix } from '../../../shared/contacts/field-definition.ts';
import { isBlank, valueFromText } from '../../../shared/contacts/field-types.ts';
import type { Lead } from './lead.ts';

/**
 * The lead with its custom data as the types of the fields have them. A value that does not fit is kept beside the field, so that nothing
 * is lost, and one that is blank says nothing. Source: contacts-at-work 2.
 */
export function withTypedData(lead: Lead, rules: FieldRules): Lead {
  const byKey = new Map(rules.definitions.map((definition) => [definition.key, definition]));
  const customData = [...lead.customData].flatMap(([key, value]): [string, unknown][] => {
    const definition = byKey.get(key);
    if (definition === undefined) {
      return [[key, value]];
    }
    if (isBlank(value)) {
      return [];
    }
    const typed = valueFromText(value, definition, rules);
    return [typed === undefined ? [`${key}${rawSuffix}`, value] : [key, typed]];
  });
  return { ...lead, customData: new Map(customData) };
}
