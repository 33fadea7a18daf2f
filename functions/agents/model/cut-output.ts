/** The JSON object that an operation responds with. */
export type Output = Record<string, unknown>;

/** Bytes of a result: what a model reads without losing the thread. */
export const mostBytes = 64 * 1024;

/**
 * The output with as many of the first records of each of its lists as fit into a result, and with `cut`, which says so. A list within a
 * record is a part of the record.
 * @param wayToRest how to get the records that are left out, if each list has this many.
 */
export function cutOutput(output: Output, wayToRest: (shown: number) => string): Output {
  let shown = longestList(output);
  let bytes = bytesIn(output);
  let cut = output;
  while (bytes > mostBytes && shown > 0) {
    // In proportion, because most records of a list have about the same length.
    shown = Math.min(shown - 1, Math.floor((shown * mostBytes) / bytes));
    cut = withCut(firstOfEach(output, shown) as Output, shown, wayToRest(shown));
    bytes = bytesIn(cut);
  }
  return bytes > mostBytes ? withCut({}, 0, wayToRest(0)) : cut;
}

/** Without the cursor: its page begins after the records that are left out. */
function withCut({ nextCursor: _, ...output }: Output, shown: number, rest: string): Output {
  const what = shown === 0 ? 'no records' : `at most the first ${shown} records of each list`;
  return { ...output, cut: `A result has at most ${mostBytes / 1024} KB: this one has ${what}. ${rest}` };
}

const bytesIn = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

function longestList(value: unknown): number {
  if (Array.isArray(value)) {
    return value.length;
  }
  return isObject(value) ? Math.max(0, ...Object.values(value).map(longestList)) : 0;
}

function firstOfEach(value: unknown, most: number): unknown {
  if (Array.isArray(value)) {
    return value.slice(0, most);
  }
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, part]) => [key, firstOfEach(part, most)]))
    : value;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
