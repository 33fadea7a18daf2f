/** The fields that a partial update sets. */
export function given<Fields extends object>(
  fields: Fields,
): { [K in keyof Fields]?: Exclude<Fields[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}
