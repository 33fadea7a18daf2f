import { expect, test } from 'vitest';
import { inBoardOrder, indexedContact } from '../../../functions/contacts/model/search/indexed-contact.ts';
import { KeptRows } from '../../../functions/contacts/model/search/kept-rows.ts';
import { searchQuery } from '../../../functions/contacts/model/search/query.ts';
import { groups, packedSegment, Segment } from '../../../functions/contacts/model/search/segment.ts';
import { oddContacts } from './odd-contacts.ts';

/** A segment that counts how often it is looked through. */
class CountedSegment extends Segment {
  count = 0;

  override matching(query: Parameters<Segment['matching']>[0]): Uint32Array {
    this.count += 1;
    return super.matching(query);
  }
}

function newSegment(): CountedSegment {
  const packed = packedSegment(oddContacts(100, 1, ['New']).map(indexedContact).sort(inBoardOrder));
  const segment = new CountedSegment('New', packed.keys);
  for (const group of groups) {
    segment.add(group, packed[group]);
  }
  return segment;
}

const queryFor = (search: string) =>
  searchQuery({ created: undefined, conditions: { search }, views: [['all']] }, []);

test('A search that is asked again looks through no segment again, also after contacts left the segment', () => {
  const segment = newSegment();
  const kept = new KeptRows();
  const found = () => [...(kept.matching([segment], queryFor('a'))[0]?.[1] ?? [])];
  const [first = -1, ...others] = found();
  expect(found()).toEqual([first, ...others]);

  segment.leaveOut(first);

  expect(found()).toEqual(others);
  expect(found()).toEqual([...segment.matching(queryFor('a'))]);
  expect(segment.count).toBe(2);
});

test('What searches found takes no more memory than it may: the search that nobody repeated longest goes first', () => {
  const segment = newSegment();
  const kept = new KeptRows(1_000);
  for (const text of ['zzza', 'zzzb', 'zzzc', 'zzza', 'zzzd']) {
    kept.matching([segment], queryFor(text));
  }
  expect(segment.count).toBe(4);
  expect(kept.bytes).toBeLessThanOrEqual(1_000);

  for (const text of ['zzza', 'zzzc', 'zzzd']) {
    kept.matching([segment], queryFor(text));
  }
  expect(segment.count).toBe(4);
  kept.matching([segment], queryFor('zzzb'));
  expect(segment.count).toBe(5);
});

test('Searches of stages without segments, and long ones, take memory too: no number of different ones fills it', () => {
  const capacity = 100_000;
  const kept = new KeptRows(capacity);
  for (let index = 0; index < 1_000; index += 1) {
    kept.matching([], queryFor(`${index} ${'a'.repeat(1_000)}`));
  }
  expect(kept.size).toBe(0);

  const segment = newSegment();
  for (let index = 0; index < 1_000; index += 1) {
    kept.matching([segment], queryFor(`${index} ${'a'.repeat(1_000)}`));
  }
  expect(kept.size).toBeLessThan(capacity / 1_000);
  expect(kept.bytes).toBeLessThanOrEqual(capacity);
});
