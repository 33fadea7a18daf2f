import { describe, expect, test } from 'vitest';
import { Block } from '../../shared/column-index/block.ts';
import { ColumnReader, ColumnWriter } from '../../shared/column-index/columns.ts';
import {
  type IndexedContact,
  inBoardOrder,
  indexedContact,
} from '../../shared/column-index/indexed-contact.ts';
import { toUlid, ulidParts } from '../../shared/column-index/key-columns.ts';
import { families, type PackedBlock, packedBlock } from '../../shared/column-index/packed-block.ts';
import { batchRow, contactInBatch } from '../../shared/column-index/stored-index.ts';
import { packedTexts, TextColumns } from '../../shared/column-index/text-columns.ts';
import { searchedText, textSearch } from '../../shared/column-index/text-search.ts';
import { searchFolded } from '../../shared/kernel/names/folded.ts';
import { generatedContacts } from '../bench/generated-contacts.ts';
import { randomness } from '../harness/randomness.ts';
import { oddContacts } from './odd-contacts.ts';

describe('Columns', () => {
  test.each([
    ['nothing', []],
    ['a single zero', [0]],
    ['the largest numbers', [Number.MAX_SAFE_INTEGER, 0, 255, 256, 2 ** 32 - 1, 2 ** 32]],
    ['a thousand equal numbers', Array.from({ length: 1_000 }, () => 70_000)],
    ['numbers without any order', Array.from({ length: 1_000 }, (_, index) => (index * 7_919_777) % 2 ** 40)],
  ])('A column of numbers gives back %s', (_, numbers) => {
    expect([...new ColumnReader(new ColumnWriter().numbers(numbers).done()).numbers()]).toEqual(numbers);
  });

  test('A column of texts gives back whatever is in them, and the columns after it', () => {
    const written = ['', 'a\u0000b', '\ud83d', '\ude00', 'ÿ', 'x'.repeat(100_000), ''];
    const reader = new ColumnReader(new ColumnWriter().texts(written).numbers([7]).text('end').done());
    const { text, ends } = reader.texts();
    expect(written.map((_, index) => text.slice(index === 0 ? 0 : ends[index - 1], ends[index]))).toEqual(
      written,
    );
    expect([...reader.numbers()]).toEqual([7]);
    expect(reader.text()).toBe('end');
  });
});

describe('ULIDs', () => {
  test('A ULID comes back from its parts', () => {
    const random = randomness(1);
    const ids = Array.from({ length: 1_000 }, () => random.idAt(new Date(random.below(2 ** 45))));
    for (const id of [...ids, '00000000000000000000000000', '7ZZZZZZZZZZZZZZZZZZZZZZZZZ']) {
      const parts = ulidParts(id);
      expect(parts && toUlid(parts.time, parts.random, 0)).toBe(id);
    }
  });

  test.each([
    '',
    '01arz3ndektsv4rrffq69g5fav',
    '8ZZZZZZZZZZZZZZZZZZZZZZZZZ',
    '01ARZ3NDEKTSV4RRFFQ69G5FAU',
    '01ARZ3',
  ])('A ULID is not "%s"', (text) => {
    expect(ulidParts(text)).toBeUndefined();
  });
});

const unpacked = (packed: PackedBlock) => new Block('stage', packed.keys).addAll(packed);

describe('Blocks', () => {
  test.each([0, 1, 2, 3, 100, 2_000])('A block gives back %d contacts, however odd they are', (count) => {
    const rows = oddContacts(count, 11 + count)
      .map(indexedContact)
      .sort(inBoardOrder);
    expect(unpacked(packedBlock(rows)).rows()).toEqual(rows);
  });

  test('A block gives back contacts with hundreds of different users, sources and custom fields', () => {
    const rows = oddContacts(600, 5).map((contact, index) => ({
      ...indexedContact(contact),
      createdBy: `user ${index}`,
      owner: `owner ${index}`,
      assignees: [`one ${index}`, `two ${index}`],
      source: `source ${index}`,
      customFields: Object.fromEntries(Array.from({ length: 50 }, (_, key) => [`${index} ${key}`, key])),
    }));
    expect(unpacked(packedBlock(rows)).rows()).toEqual(rows);
  });

  test('A block that was written when names were folded by lower case alone is searched as one of today', () => {
    const people = [
      ['Botho', 'Strauß'],
      ['José', 'Muñoz'],
      ['An\u00adna', 'O’Brien'],
      ['Mary  Ann', 'Smith'],
      ['İbrahim', ''],
    ] as const;
    const formerly = (text: string) => text.normalize('NFKC').toLowerCase().replaceAll('ς', 'σ');
    const former = new ColumnWriter()
      .texts(people.map(([firstName, lastName]) => `${formerly(firstName)} ${formerly(lastName)}`))
      .numbers(people.map(() => 0))
      .numbers([])
      .texts([])
      .done();
    const columns = new TextColumns(former);
    const rows = people.map(([firstName, lastName]) =>
      searchedText({ firstName, lastName, phoneNumbers: [] }),
    );
    expect(columns.rows()).toEqual(rows);
    expect(new TextColumns(packedTexts(rows)).rows()).toEqual(rows);
    const found = (search: string) => {
      const marks = new Uint8Array(people.length);
      columns.mark(textSearch(searchFolded(search)), marks);
      return people.filter((_, row) => marks[row] === 1).map(([firstName]) => firstName);
    };
    expect(found('STRAUSS')).toEqual(['Botho']);
    expect(found('Strauß both')).toEqual(['Botho']);
    expect(found('jose')).toEqual(['José']);
    expect(found("anna o'b")).toEqual(['An\u00adna']);
    expect(found('y ann smith')).toEqual(['Mary  Ann']);
    expect(found('ibrahim')).toEqual(['İbrahim']);
    expect(found('anna smith')).toEqual([]);
  });

  test('A block that was written when names had their points is searched as one of today', () => {
    const rows = [searchedText({ firstName: 'שָׁלוֹם', lastName: '', phoneNumbers: [] })];
    const former = new ColumnWriter()
      .texts(['שָׁלוֹם '.normalize('NFC')])
      .numbers([0])
      .numbers([])
      .texts([])
      .numbers([1])
      .done();
    expect(new TextColumns(former).rows()).toEqual(rows);
    expect(rows[0]?.name).toBe('שלום ');
  });

  test('A change that was stored when names were folded by lower case alone is found as one of today', () => {
    const [contact] = oddContacts(1, 8).map(indexedContact);
    const row = batchRow({ ...(contact as IndexedContact), name: 'josé strauß' });
    expect(contactInBatch('id', row).name).toBe('jose strauss');
  });

  test('A block of usual contacts takes at most 29 bytes a contact for a search, and 70 in all', () => {
    const [stage, count] = ['stage', 4_000];
    const contacts = generatedContacts({
      count,
      organizationId: 'organization',
      stages: [{ pipelineId: 'pipeline', stageId: stage }],
      users: ['01ARZ3NDEKTSV4RRFFQ69G5FAV', '01ARZ3NDEKTSV4RRFFQ69G5FAW'],
      seed: 1,
      now: new Date('2026-01-01T00:00:00.000Z'),
    });
    const rows = [...contacts].map(indexedContact).sort(inBoardOrder);
    const packed = [rows.slice(0, 2_000), rows.slice(2_000)].map(packedBlock);
    const bytes = (some: readonly (typeof families)[number][]) =>
      packed
        .flatMap((one) => some.map((family) => one[family].length))
        .reduce((sum, length) => sum + length, 0) / count;
    expect(bytes(['keys', 'text'])).toBeLessThanOrEqual(29);
    expect(bytes(families)).toBeLessThanOrEqual(70);
  });
});
