/** How much is done at once: while the database works on one, another is prepared. */
const width = 8;

/** Does this for each of these, several at a time. */
export async function each<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  const left = items.values();
  const worker = async () => {
    for (const item of left) {
      await work(item);
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
}
