import { forEachOrThrow } from '../../../shared/kernel/for-each-concurrently.ts';

/** How many at a time: while the database works on one, others are prepared. */
const width = 8;

/** Does this for each item, several at a time. @throws when one of them fails, once the others have ended. */
export async function inParallel<Item>(
  items: readonly Item[],
  act: (item: Item) => Promise<unknown>,
): Promise<void> {
  await forEachOrThrow(items, width, async (item) => void (await act(item)));
}
