import type { StoredContact } from '../../shared/contacts/contact.ts';
import { type Randomness, randomness } from '../harness/randomness.ts';

const texts = [
  '',
  ' ',
  'Ada',
  'ada lovelace',
  'Zoë',
  'ＡＬＩＣＥ',
  'ΟΔΥΣΣΕΑΣ',
  'Гагарин',
  'ﬁne ½ Ⅷ',
  '😀👩‍👩‍👧',
  'half \ud83d',
  '\ude00 other half',
  'line\nbreak\ttab\u0000\u001f',
  '__proto__',
  'İstanbul',
  'x'.repeat(200),
  '12345',
  '+1 555',
];
const numbers = [
  '+15550101815',
  '+12',
  '+999999999999999',
  '+49301234567',
  '(555) 010-18',
  '+',
  '٣٤',
  'none',
  '+0123',
];
const ids = [
  'a',
  '-',
  'contact_1',
  '01ARZ3NDEKTSV4RRFFQ69G5FAV',
  '7ZZZZZZZZZZZZZZZZZZZZZZZZZ',
  '01arz3ndektsv4rrffq69g5fav',
];
const times = [
  '2026-01-01',
  '+012026-01-01T00:00:00.000Z',
  '0001-01-01T00:00:00.000Z',
  '1969-07-20T20:17:40.123Z',
];
const sources = [null, 'Website', 'Referral', '', '😀', 'Import'];
const values = [
  null,
  true,
  false,
  0,
  -1.5,
  1e21,
  '',
  'Bern',
  ['tea', 'coffee'],
  [],
  { deep: [1, { a: null }] },
  '\ud83d',
];

/** Any contact that has ever been stored, and some that never were: by the form of its ids, times, texts and fields. */
export function oddContact(random: Randomness, stages: readonly string[], at: number): StoredContact {
  const some = <Item>(list: readonly Item[], most: number) =>
    Array.from({ length: random.below(most + 1) }, () => random.pick(list));
  const users = Array.from({ length: random.chance(0.1) ? 300 : 4 }, (_, index) => `user-${index}`);
  const usual = new Date(at - random.below(5) * 1_000);
  const createdAt = random.chance(0.03) ? random.pick(times) : usual.toISOString();
  const idMoment = random.chance(0.2) ? new Date(random.below(2 ** 40)) : usual;
  const lastMessageAt = random.chance(0.5) ? new Date(at + random.below(10 ** 9) - 5e8).toISOString() : null;
  return {
    _id: random.chance(0.03) ? `${random.pick(ids)}${random.below(10 ** 6)}` : random.idAt(idMoment),
    organizationId: 'organization',
    firstName: random.pick(texts),
    lastName: random.pick(texts),
    email: null,
    phoneNumbers: some(numbers, random.chance(0.05) ? 10 : 2).map((value) => ({
      value: random.chance(0.7) ? `+${1 + random.below(10 ** 9)}` : value,
      label: '',
      isPrimary: false,
    })),
    source: random.pick(sources),
    pipelineId: 'pipeline',
    stageId: random.pick(stages),
    createdBy: random.pick(users),
    owner: random.chance(0.3) ? null : random.pick(users),
    assignees: some(users, 2),
    customFields: Object.fromEntries(
      some(
        [...texts, ...Array.from({ length: random.chance(0.05) ? 50 : 3 }, (_, key) => `key ${key}`)],
        8,
      ).map((key) => [key, random.chance(0.2) ? 'v'.repeat(random.below(2_000)) : random.pick(values)]),
    ),
    tags: some(['vip', 'VIP', 'Straße', '', '😀'], 3),
    isBulkImport: random.chance(0.5),
    lastMessageAt: random.chance(0.03) ? random.pick(times) : lastMessageAt,
    lastMessageDirection: random.pick([null, 'inbound', 'outbound'] as const),
    conversationAssignees: some(users, 2),
    createdAt,
    // The service writes it itself, always in this form.
    updatedAt: new Date(createdAt).toISOString(),
  };
}

/** Contacts with different ids, the same for the same seed. */
export function oddContacts(
  count: number,
  seed: number,
  stages: readonly string[] = ['stage'],
): StoredContact[] {
  const random = randomness(seed);
  const start = Date.UTC(2026, 0, 1);
  const all = Array.from({ length: count }, (_, index) => oddContact(random, stages, start + index * 1_000));
  return [...new Map(all.map((contact) => [contact._id, contact])).values()];
}
