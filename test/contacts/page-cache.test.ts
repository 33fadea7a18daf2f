import { expect, test } from 'vitest';
import { PageCache } from '../../shared/board/page-cache.ts';

const page = (contacts: string) => ({ contacts, total: 1 });

test('Beyond its capacity the least recently used page goes, and only as many as must', () => {
  const pages = new PageCache(3 * (200 + 4) + 3);
  for (const key of ['a', 'b', 'c']) {
    pages.put(key, 1, page('123'), 0);
  }
  pages.get('a', 1, 0);
  pages.put('d', 1, page('123'), 0);

  expect(['a', 'b', 'c', 'd'].filter((key) => pages.get(key, 1, 0) !== undefined)).toEqual(['a', 'c', 'd']);

  pages.put('d', 2, page('1234'), 0);
  expect(['a', 'c', 'd'].filter((key) => pages.get(key, key === 'd' ? 2 : 1, 0) !== undefined)).toEqual([
    'a',
    'c',
    'd',
  ]);
});

test('A page larger than the whole capacity is not cached, and takes no other one with it for good', () => {
  const pages = new PageCache(250);
  pages.put('large', 1, page('1'.repeat(100)), 0);
  expect(pages.get('large', 1, 0)).toBeUndefined();
  pages.put('small', 1, page('123'), 0);
  expect(pages.get('small', 1, 0)).toMatchObject({ contacts: '123' });
});

test('Empty pages take room, too', () => {
  const pages = new PageCache(1_000);
  for (let index = 0; index < 100; index += 1) {
    pages.put(`page ${index}`, 1, page('[]'), 0);
  }
  const cached = Array.from({ length: 100 }, (_, index) => pages.get(`page ${index}`, 1, 0));
  expect(cached.filter((one) => one !== undefined)).toHaveLength(4);
});
