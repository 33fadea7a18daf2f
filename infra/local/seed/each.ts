import { forEachOrThrow } from '../../../shared/kernel/for-each-concurrently.ts';

/** While the database works on one, others are prepared. */
const width = 8;

/** Does this for each of these, several at a time. @throws when one of them fails, once the others have ended. */
export async function each<Item>(
  items: readonly Item[],
  act: (item: Item) => Promise<unknown>,
): Promise<void> {
  await forEachOrThrow(items, width, async (item) => void (await act(item)));
}
