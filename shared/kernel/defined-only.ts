/** The fields that are defined: a spread of them keeps the other values. */
export function definedOnly<Fields extends object>(
  fields: Fields,
): { [K in keyof Fields]?: Exclude<Fields[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}
