import { expect, test } from 'vitest';
import { searchQuery } from '../../../functions/contacts/model/search/index/query.ts';
import { RowCache } from '../../../functions/contacts/model/search/index/row-cache.ts';
import { SearchIndex } from '../../../functions/contacts/model/search/index/search-index.ts';
import { inBoardOrder, indexedContact } from '../../../functions/contacts/model/search/indexed-contact.ts';
import { packedSegment } from '../../../functions/contacts/model/search/segments/packed-segment.ts';
import { Segment } from '../../../functions/contacts/model/search/segments/segment.ts';
import { oddContacts } from './odd-contacts.ts';

/** A segment that counts how often it is looked through. */
class CountedSegment extends Segment {
  count = 0;

  override matching(query: Parameters<Segment['matching']>[0]): Uint32Array {
    this.count += 1;
    return super.matching(query);
  }
}

function newSegment(stageId = 'New', seed = 1): CountedSegment {
  const packed = packedSegment(oddContacts(100, seed, [stageId]).map(indexedContact).sort(inBoardOrder));
  return new CountedSegment(stageId, packed.keys).addAll(packed);
}

const queryFor = (search: string) =>
  searchQuery({ created: undefined, conditions: { search }, views: [['all']] }, []);

test('A search that is asked again looks through no segment again, also after contacts left the segment', () => {
  const segment = newSegment();
  const cached = new RowCache();
  const found = () => [...(cached.matching([segment], queryFor('a'))[0]?.[1] ?? [])];
  const [first = -1, ...others] = found();
  expect(found()).toEqual([first, ...others]);

  segment.leaveOut(first);

  expect(found()).toEqual(others);
  expect(found()).toEqual([...segment.matching(queryFor('a'))]);
  expect(segment.count).toBe(2);
});

test('What searches found takes no more memory than it may: the search that nobody repeated longest goes first', () => {
  const segment = newSegment();
  const cached = new RowCache(1_000);
  for (const text of ['zzza', 'zzzb', 'zzzc', 'zzza', 'zzzd']) {
    cached.matching([segment], queryFor(text));
  }
  expect(segment.count).toBe(4);
  expect(cached.bytes).toBeLessThanOrEqual(1_000);

  for (const text of ['zzza', 'zzzc', 'zzzd']) {
    cached.matching([segment], queryFor(text));
  }
  expect(segment.count).toBe(4);
  cached.matching([segment], queryFor('zzzb'));
  expect(segment.count).toBe(5);
});

test('Searches of stages without segments, and long ones, take memory too: no number of different ones fills it', () => {
  const capacity = 100_000;
  const cached = new RowCache(capacity);
  for (let index = 0; index < 1_000; index += 1) {
    cached.matching([], queryFor(`${index} ${'a'.repeat(1_000)}`));
  }
  expect(cached.size).toBe(0);

  const segment = newSegment();
  for (let index = 0; index < 1_000; index += 1) {
    cached.matching([segment], queryFor(`${index} ${'a'.repeat(1_000)}`));
  }
  expect(cached.size).toBeLessThan(capacity / 1_000);
  expect(cached.bytes).toBeLessThanOrEqual(capacity);
});

test('A search that costs too much in one of its columns is refused again when it is asked again', () => {
  const index = new SearchIndex([newSegment('New'), newSegment('Won', 2)]);
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
