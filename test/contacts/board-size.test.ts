import { expect, test } from 'vitest';
import type { ColumnPlan } from '../../shared/board/board-plan.ts';
import { boardText } from '../../shared/board/board-response.ts';

/** A board of so many columns with this text for contacts. */
function board(columns: number, contacts: string) {
  const ids = Array.from({ length: columns }, (_, index) => `stage-${index}`);
  const plan = { columns: ids.map((_id) => ({ stage: { _id, name: _id } }) as unknown as ColumnPlan) };
  return boardText(plan, new Map(ids.map((id) => [id, { contacts, total: 100 }])));
}

/** A page of a hundred contacts of 16 KB. */
const page = `["${'a'.repeat(1_600_000)}"]`;

test('A board of fifty columns of a hundred large contacts each is refused before it is put together, and says what to ask for', () => {
  expect(() => board(50, page)).toThrow(
    expect.objectContaining({
      status: 400,
      message:
        'The response would be larger than 6 MB. Ask for less at once: a smaller page, or fewer stages.',
    }),
  );
});

test('A large board that may become small enough is put together', () => {
  expect(board(29, page).text.length).toBeGreaterThan(46_000_000);
});
