/** JSON with the keys of every object in the order of the alphabet: the same for values that are the same. */
export function sortedJson(value: unknown): string {
  return JSON.stringify(value, sorted);
}

function sorted(_key: string, value: unknown): unknown {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
    : value;
}
