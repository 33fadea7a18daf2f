import { expect, test } from 'vitest';
import { TextCache } from '../../functions/contacts/model/text-cache.ts';
import { JsonText } from '../../shared/kernel/http/json-text.ts';

const newPage = (length: number) => ({ contacts: 'x'.repeat(length), total: 1 });
const newText = (length: number) => new JsonText('x'.repeat(length));

test('A board of the same pages has the same text, and one of which a page changed has none', () => {
  const cache = new TextCache();
  const [first, second] = [newPage(10), newPage(10)];
  const text = newText(20);
  cache.put([first, second], text);

  expect(cache.get([first, second])).toBe(text);
  expect(cache.get([first])).toBeUndefined();
  expect(cache.get([first, newPage(10)])).toBeUndefined();
  expect(cache.get([newPage(10), second])).toBeUndefined();
  expect(cache.get([])).toBeUndefined();
});

test('The texts of boards take no more memory than they may, their pages included: the least recently used text goes first', () => {
  const cache = new TextCache(30_000);
  const boards = Array.from({ length: 5 }, () => [newPage(1_000), newPage(4_000)]);
  for (const [index, pages] of boards.entries()) {
    cache.put(pages, newText(5_000));
    expect(cache.get(boards[0] ?? []), `after ${index + 1} boards`).toBeDefined();
  }

  expect(boards.map((pages) => cache.get(pages) !== undefined)).toEqual([true, false, false, false, true]);
});

test('A board that is larger than all texts may be is not cached', () => {
  const cache = new TextCache(1_000);
  const pages = [newPage(600)];
  cache.put(pages, newText(600));

  expect(cache.get(pages)).toBeUndefined();
});
