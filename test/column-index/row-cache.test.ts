import { expect, test } from 'vitest';
import { searchQuery } from '../../shared/board/search-page.ts';
import { Block } from '../../shared/column-index/block.ts';
import { inBoardOrder, indexedContact } from '../../shared/column-index/indexed-contact.ts';
import { packedBlock } from '../../shared/column-index/packed-block.ts';
import { RowCache } from '../../shared/column-index/row-cache.ts';
import { SearchIndex } from '../../shared/column-index/search-index.ts';
import { oddContacts } from './odd-contacts.ts';

/** A block that counts how often it is looked through. */
class CountedBlock extends Block {
  count = 0;

  override matching(query: Parameters<Block['matching']>[0]): Uint32Array {
    this.count += 1;
    return super.matching(query);
  }
}

function newBlock(stageId = 'New', seed = 1): CountedBlock {
  const packed = packedBlock(oddContacts(100, seed, [stageId]).map(indexedContact).sort(inBoardOrder));
  return new CountedBlock(stageId, packed.keys).addAll(packed);
}

const queryFor = (search: string) =>
  searchQuery({ created: undefined, conditions: { search }, views: [['all']] }, []);

test('A search that is asked again looks through no block again, also after contacts left the block', () => {
  const block = newBlock();
  const cached = new RowCache();
  const found = () => [...(cached.matching([block], queryFor('a'))[0]?.[1] ?? [])];
  const [first = -1, ...others] = found();
  expect(found()).toEqual([first, ...others]);

  block.leaveOut(first);

  expect(found()).toEqual(others);
  expect(found()).toEqual([...block.matching(queryFor('a'))]);
  expect(block.count).toBe(2);
});

test('What searches found takes no more memory than it may: the search that nobody repeated longest goes first', () => {
  const block = newBlock();
  const cached = new RowCache(1_000);
  for (const text of ['zzza', 'zzzb', 'zzzc', 'zzza', 'zzzd']) {
    cached.matching([block], queryFor(text));
  }
  expect(block.count).toBe(4);
  expect(cached.bytes).toBeLessThanOrEqual(1_000);

  for (const text of ['zzza', 'zzzc', 'zzzd']) {
    cached.matching([block], queryFor(text));
  }
  expect(block.count).toBe(4);
  cached.matching([block], queryFor('zzzb'));
  expect(block.count).toBe(5);
});

test('Searches of stages without blocks, and long ones, take memory too: no number of different ones fills it', () => {
  const capacity = 100_000;
  const cached = new RowCache(capacity);
  for (let index = 0; index < 1_000; index += 1) {
    cached.matching([], queryFor(`${index} ${'a'.repeat(1_000)}`));
  }
  expect(cached.size).toBe(0);

  const block = newBlock();
  for (let index = 0; index < 1_000; index += 1) {
    cached.matching([block], queryFor(`${index} ${'a'.repeat(1_000)}`));
  }
  expect(cached.size).toBeLessThan(capacity / 1_000);
  expect(cached.bytes).toBeLessThanOrEqual(capacity);
});

test('A search that costs too much in one of its columns is refused again when it is asked again', () => {
  const index = new SearchIndex([newBlock('New'), newBlock('Won', 2)]);
  function ask(most: number): void {
    let left = most;
    const matches = () => {
      left -= 1;
      if (left < 0) {
        throw new Error('It costs too much');
      }
      return true;
    };
    const query = searchQuery({ created: undefined, conditions: {}, views: [['all']] }, [
      { key: 'key 0', wanted: 'x', matches },
    ]);
    for (const stageId of ['New', 'Won']) {
      index.find(stageId, query, { first: 0, size: 10 });
    }
  }
  let enough = 0;
  for (let isEnough = false; !isEnough; ) {
    index.forgetRows();
    enough += 1;
    try {
      ask(enough);
      isEnough = true;
    } catch {}
  }
  index.forgetRows();

  for (let time = 0; time < 3; time += 1) {
    expect(() => ask(enough - 1)).toThrow('It costs too much');
  }
});
