import {
  CustomFields,
  customFieldLimits,
  entryBytes,
  isFieldName,
} from '../../../shared/contacts/custom-fields.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Custom fields that a contact can have, and the names of fields that it cannot. */
interface Fitting {
  readonly fields: Record<string, unknown>;
  readonly skippedFields: readonly string[];
}

/**
 * As many of the newer fields as fit beside the others, one by one in their order: a lead must not be lost for one of them. Measures
 * each field once, because anybody can send thousands.
 */
export function fieldsThatFit(newer: ReadonlyMap<string, unknown>, kept: Fields = {}): Fitting {
  const all = { ...kept, ...Object.fromEntries(newer) };
  if (Object.keys(all).length <= customFieldLimits.keys && CustomFields.safeParse(all).success) {
    return { fields: all, skippedFields: [] };
  }
  const fields: Record<string, unknown> = { ...kept };
  const skippedFields: string[] = [];
  let keys = Object.keys(kept).length;
  let bytes = Object.entries(kept).reduce((sum, [name, value]) => sum + entryBytes(name, value), 1);
  for (const [name, value] of newer) {
    const isNew = !Object.hasOwn(fields, name);
    const room = customFieldLimits.bytes - bytes + (isNew ? 0 : entryBytes(name, fields[name]));
    const hasRoom = room > 0 && (!isNew || keys < customFieldLimits.keys) && isFieldName(name);
    const size = hasRoom ? entryBytes(name, value) : Number.POSITIVE_INFINITY;
    if (size > room) {
      skippedFields.push(name);
      continue;
    }
    fields[name] = value;
    keys += isNew ? 1 : 0;
    bytes = customFieldLimits.bytes - room + size;
  }
  return { fields, skippedFields };
}
