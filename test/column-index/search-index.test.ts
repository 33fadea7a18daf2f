import { describe, expect, test } from 'vitest';
import type { Conditions } from '../../shared/board/board-plan.ts';
import { loadCustomFieldTests } from '../../shared/board/custom-filters.ts';
import { searchQuery } from '../../shared/board/search-page.ts';
import type { TimeRange } from '../../shared/board/time-range.ts';
import { Block } from '../../shared/column-index/block.ts';
import { inBoardOrder, indexedContact } from '../../shared/column-index/indexed-contact.ts';
import { packedBlock } from '../../shared/column-index/packed-block.ts';
import { SearchIndex } from '../../shared/column-index/search-index.ts';
import type { StoredContact } from '../../shared/contacts/contact.ts';
import { nameKey, searchFolded } from '../../shared/kernel/names/folded.ts';
import { type Randomness, randomness } from '../harness/randomness.ts';
import { oddContact, oddContacts } from './odd-contacts.ts';

const stages = ['New', 'Won', 'Lost'];

/** Blocks of a few contacts each, so that a page spans many. */
function indexOf(contacts: readonly StoredContact[], rows = 40): SearchIndex {
  return new SearchIndex(
    stages.flatMap((stage) => {
      const own = contacts
        .filter(({ stageId }) => stageId === stage)
        .map(indexedContact)
        .sort(inBoardOrder);
      return Array.from({ length: Math.ceil(own.length / rows) }, (_, index) => {
        const packed = packedBlock(own.slice(index * rows, (index + 1) * rows));
        return new Block(stage, packed.keys).addAll(packed);
      });
    }),
  );
}

interface Asked {
  readonly conditions: Conditions;
  readonly created: TimeRange | undefined;
  readonly customFilters: Record<string, string | number | boolean>;
}

/** The index must find in its blocks what its query finds contact by contact. */
async function expectSame(index: SearchIndex, contacts: Iterable<StoredContact>, asked: Asked, size: number) {
  const tests = await loadCustomFieldTests(asked.customFilters);
  const query = searchQuery({ ...asked, views: [['all']] }, tests);
  const matching = [...contacts].filter((contact) => query.matches(indexedContact(contact)));
  for (const stageId of stages) {
    const expected = matching
      .filter((contact) => contact.stageId === stageId)
      .sort(inBoardOrder)
      .map(({ _id }) => _id);
    for (const page of [0, 1, Math.floor(expected.length / size)]) {
      const first = page * size;
      expect(index.find(stageId, query, { first, size }), JSON.stringify(asked)).toEqual({
        total: expected.length,
        contactIds: expected.slice(first, first + size),
      });
    }
    const counts: Record<string, number> = {};
    for (const [tag, count] of index.tagCounts(stageId, query)) {
      counts[tag] = (counts[tag] ?? 0) + count;
    }
    const tags = matching.filter((contact) => contact.stageId === stageId).flatMap((contact) => contact.tags);
    for (const tag of ['vip', 'VIP', 'Straße', '', '😀']) {
      expect(counts[tag] ?? 0, JSON.stringify(asked)).toBe(tags.filter((one) => one === tag).length);
    }
  }
}

function randomQuery(random: Randomness, contacts: readonly StoredContact[]): Asked {
  const one = random.pick(contacts);
  const other = random.pick(contacts);
  const part = (text: string) => {
    const start = random.below(text.length + 1);
    return searchFolded(text.slice(start, start + 1 + random.below(6)));
  };
  const number = one.phoneNumbers[0]?.value ?? '12';
  const searches = [
    part(`${one.firstName} ${one.lastName}`),
    part(one.firstName),
    part(number),
    part(number).replace(/\D/g, ''),
    part(`${one.lastName}${other.firstName}`),
    part(`${one.lastName} ${one.firstName}`),
    part(number + number),
    '+',
    '1',
    ' ',
    '😀',
    '\ud83d',
    'zzzqq',
    '(1',
  ];
  const search = random.pick(searches);
  const [from, to] = [one.createdAt, other.createdAt].sort();
  const [customKey = 'none'] = Object.keys(one.customFields);
  const custom = one.customFields[customKey];
  const conditions: Conditions = {
    ...(random.chance(0.6) && search !== '' && { search }),
    ...(random.chance(0.2) && { tiedTo: [new Set([one.createdBy, other.createdBy])] }),
    ...(random.chance(0.1) && { unassigned: true }),
    ...(random.chance(0.1) && { bulkImport: true }),
    ...(random.chance(0.1) && one.source !== null && { source: nameKey(one.source) }),
    ...(random.chance(0.1) && { lastExchange: 'inbound' }),
    ...(random.chance(0.1) && { silentSince: one.createdAt }),
    ...(random.chance(0.1) && { lastMessage: { from: one.createdAt, to: undefined } }),
    ...(random.chance(0.1) && { assignees: new Set([one.createdBy, other.createdBy]) }),
    ...(random.chance(0.2) && { tags: new Set([...one.tags, 'strasse'].map(nameKey)) }),
    ...(random.chance(0.1) && { tagsAll: new Set(one.tags.map(nameKey)) }),
  };
  return {
    conditions,
    created: random.chance(0.3) ? { from: random.chance(0.5) ? from : undefined, to } : undefined,
    customFilters:
      random.chance(0.2) && custom !== null && typeof custom !== 'object'
        ? { [customKey]: typeof custom === 'string' ? '^[Bv]' : (custom as number | boolean) }
        : {},
  };
}

describe('The search index', () => {
  test('The index of a pipeline finds for any query what reading every contact finds, in the same order', async () => {
    const contacts = oddContacts(1_000, 1, stages);
    const index = indexOf(contacts);
    const random = randomness(2);
    for (let count = 0; count < 300; count += 1) {
      await expectSame(index, contacts, randomQuery(random, contacts), 1 + random.below(30));
    }
  });

  test('The index of a pipeline finds the same after any order of creations, edits, moves and deletions', async () => {
    const random = randomness(3);
    const contacts = new Map(oddContacts(400, 4, stages).map((contact) => [contact._id, contact]));
    const index = indexOf([...contacts.values()]);
    // Some are asked again and again: the index caches what it found.
    const asked: Asked[] = [];
    for (let version = 2; version < 1_000; version += 1) {
      const known = random.pick([...contacts.values()]);
      const fresh = oddContact(random, stages, Date.UTC(2026, 0, 1) + random.below(500_000));
      if (random.chance(0.2)) {
        contacts.delete(known._id);
        index.remove(known._id, version);
      } else {
        const { _id, createdAt } = random.chance(0.3) ? fresh : known;
        const changed = { ...fresh, _id, createdAt };
        contacts.set(_id, changed);
        index.put(indexedContact(changed), version);
      }
      if (version % 20 === 0) {
        const all = [...contacts.values()];
        const query = randomQuery(random, all);
        asked.push(query);
        for (const one of [query, random.pick(asked), random.pick(asked)]) {
          await expectSame(index, all, one, 1 + random.below(30));
        }
        for (const stage of stages) {
          expect(index.size(stage)).toBe(all.filter(({ stageId }) => stageId === stage).length);
        }
      }
    }
  });

  test('The index of a pipeline keeps the later state of a contact, whatever the order in which it learns of both', () => {
    const [contact] = oddContacts(1, 6, stages) as [StoredContact];
    const index = indexOf([contact]);
    const query = searchQuery({ created: undefined, conditions: { search: 'later' }, views: [['all']] }, []);
    index.put(indexedContact({ ...contact, firstName: 'later' }), 5);
    index.put(indexedContact({ ...contact, firstName: 'earlier' }), 4);
    index.remove(contact._id, 3);
    expect(index.find(contact.stageId, query, { first: 0, size: 1 }).total).toBe(1);
    expect([index.hasSeen(contact._id, 5), index.hasSeen(contact._id, 6)]).toEqual([true, false]);
    index.remove(contact._id, 6);
    expect(index.size(contact.stageId)).toBe(0);
  });

  test('The index of a pipeline takes the removal of a contact that it never had as no change', () => {
    const index = indexOf(oddContacts(50, 7, stages));
    const before = stages.map((stage) => index.size(stage));
    index.remove('01ARZ3NDEKTSV4RRFFQ69G5FAV', 1);
    index.remove('no such id', 1);
    expect(stages.map((stage) => index.size(stage))).toEqual(before);
  });
});
