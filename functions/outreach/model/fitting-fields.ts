import { CustomFields } from '../../../shared/contacts/custom-fields.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Custom fields that a contact can have, and the names of those that it cannot. */
interface Fitting {
  readonly fields: Record<string, unknown>;
  readonly leftOut: readonly string[];
}

/** As many of the newer fields as fit beside the others, one by one in their order: a lead must not be lost for one of them. */
export function fitting(newer: Fields, kept: Fields = {}): Fitting {
  const all = { ...kept, ...newer };
  if (fits(all)) {
    return { fields: all, leftOut: [] };
  }
  const fields: Record<string, unknown> = { ...kept };
  const leftOut: string[] = [];
  for (const [name, value] of Object.entries(newer)) {
    if (fits({ ...fields, [name]: value })) {
      fields[name] = value;
    } else {
      leftOut.push(name);
    }
  }
  return { fields, leftOut };
}

const fits = (fields: Fields) => CustomFields.safeParse(fields).success;
