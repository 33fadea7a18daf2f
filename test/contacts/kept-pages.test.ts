import { expect, test } from 'vitest';
import { KeptPages } from '../../functions/contacts/model/kept-pages.ts';

const page = (contacts: string) => ({ contacts, total: 1 });
const second = 1_000;

test('A page is answered for its version alone', () => {
  const pages = new KeptPages();
  pages.keep('column', 1, page('[1]'), 0);

  expect(pages.get('column', 1, 0)).toMatchObject({ contacts: '[1]', total: 1 });
  expect(pages.get('column', 2, 0)).toBeUndefined();
  expect(pages.get('another', 1, 0)).toBeUndefined();
});

test('A page that was read within a second after its version was first seen is read once more after that second, then never', () => {
  const pages = new KeptPages();
  pages.keep('column', 1, page('[too early]'), 0);
  expect(pages.get('column', 1, second - 1)).toMatchObject({ contacts: '[too early]' });
  expect(pages.get('column', 1, second)).toBeUndefined();

  pages.keep('column', 1, page('[settled]'), second);
  expect(pages.get('column', 1, second)).toMatchObject({ contacts: '[settled]' });
  expect(pages.get('column', 1, 1_000 * second)).toMatchObject({ contacts: '[settled]' });
});

test('A new version starts a new second', () => {
  const pages = new KeptPages();
  pages.keep('column', 1, page('[1]'), 0);
  pages.keep('column', 2, page('[2]'), 5 * second);

  expect(pages.get('column', 2, 6 * second - 1)).toMatchObject({ contacts: '[2]' });
  expect(pages.get('column', 2, 6 * second)).toBeUndefined();
});

test('Beyond its capacity the page that nobody asked for longest goes, and only as many as must', () => {
  const pages = new KeptPages(3 * (200 + 4) + 3);
  for (const key of ['a', 'b', 'c']) {
    pages.keep(key, 1, page('123'), 0);
  }
  pages.get('a', 1, 0);
  pages.keep('d', 1, page('123'), 0);

  expect(['a', 'b', 'c', 'd'].filter((key) => pages.get(key, 1, 0) !== undefined)).toEqual(['a', 'c', 'd']);

  pages.keep('d', 2, page('1234'), 0);
  expect(['a', 'c', 'd'].filter((key) => pages.get(key, key === 'd' ? 2 : 1, 0) !== undefined)).toEqual([
    'a',
    'c',
    'd',
  ]);
});

test('A page larger than the whole capacity is not kept, and takes no other one with it for good', () => {
  const pages = new KeptPages(250);
  pages.keep('large', 1, page('1'.repeat(100)), 0);
  expect(pages.get('large', 1, 0)).toBeUndefined();
  pages.keep('small', 1, page('123'), 0);
  expect(pages.get('small', 1, 0)).toMatchObject({ contacts: '123' });
});

test('Empty pages take room, too', () => {
  const pages = new KeptPages(1_000);
  for (let index = 0; index < 100; index += 1) {
    pages.keep(`page ${index}`, 1, page('[]'), 0);
  }
  const kept = Array.from({ length: 100 }, (_, index) => pages.get(`page ${index}`, 1, 0));
  expect(kept.filter((one) => one !== undefined)).toHaveLength(4);
});
