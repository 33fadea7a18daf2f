/**
 * Acts on all items, on at most `width` of them at a time, in their order, whatever becomes of the others.
 * @returns why it failed for some; empty when it did for none.
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
