/**
 * Acts on all items in order, at most `width` at a time, even if some fail.
 * @returns the errors.
 */
export async function forEachConcurrently<Item>(
  items: Iterable<Item>,
  width: number,
  act: (item: Item) => Promise<void>,
): Promise<unknown[]> {
  const failures: unknown[] = [];
  const waiting = Iterator.from(items);
  const worker = async () => {
    for (const item of waiting) {
      await act(item).catch((error: unknown) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
  return failures;
}

/**
 * Acts on all items in order, at most `width` at a time.
 * @throws the first error, once all items have been tried.
 */
export async function forEachOrThrow<Item>(
  items: Iterable<Item>,
  width: number,
  act: (item: Item) => Promise<void>,
): Promise<void> {
  const failures = await forEachConcurrently(items, width, act);
  if (failures.length > 0) {
    throw failures[0];
  }
}
