/** The index of the first of these sorted values that does not come before this one; their number if there is none. */
export function firstFrom<Value extends string | number>(sorted: readonly Value[], value: Value): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const one = sorted[middle];
    if (one !== undefined && one < value) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}
