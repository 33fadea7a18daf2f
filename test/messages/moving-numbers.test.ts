import { expect, test } from 'vitest';
import { holderOf, releasedLock } from '../../shared/contact-aggregate/number-locks.ts';
import { consentOf } from '../../shared/contacts/consent.ts';
import { contactKey } from '../../shared/contacts/contact.ts';
import { phoneLockKey } from '../../shared/contacts/phone-numbers.ts';
import { setUpWorld } from '../harness/fixtures.ts';
import { randomness } from '../harness/randomness.ts';
import { newPhoneNumber } from '../harness/world.ts';
import { numbersOf } from './number-consent-world.ts';

const world = await setUpWorld();
const numbers = await numbersOf(world);
const { table, contacts } = numbers;

/** Whether a number wants texts, by the contact that has it or, if none has, by its lock. */
async function consentOfNumber(number: string): Promise<'in' | 'out'> {
  const lock = await table.read(phoneLockKey(number));
  const holder = holderOf(lock);
  if (holder === undefined) {
    return releasedLock(lock)?.consent.sms ?? 'in';
  }
  const contact = await table.read(contactKey(holder));
  if (contact === undefined || !contact.data.phoneNumbers.some(({ value }) => value === number)) {
    throw new Error('The lock of a number names a contact that does not have it');
  }
  return consentOf(contact.data, number).sms;
}

const rounds = 25;

test.each([1, 2, 3, 4])(
  'Whatever moves five contacts, their deletions and new leads make of six numbers, each wants texts or not as it said last (%i)',
  async (seed) => {
    const random = randomness(seed);
    const all = Array.from({ length: 6 }, newPhoneNumber);
    const ids = await Promise.all(Array.from({ length: 5 }, () => numbers.having()));
    const said = new Map(all.map((number) => [number, 'in']));

    const some = () => all.filter(() => random.chance(0.4)).map((value) => ({ value }));
    /** Refused if another contact has a number, is deleted, or is changing. */
    const move = () => {
      const [place, phoneNumbers, isImport] = [random.below(ids.length), some(), random.chance(0.3)];
      const id = ids[place] ?? '';
      return isImport
        ? contacts.create({ lastName: 'Imported', phoneNumbers, isBulkImport: true }).then(({ body }) => {
            ids[place] = body.data?._id ?? id;
          })
        : contacts.update(id, { phoneNumbers });
    };
    const remove = async () => {
      const lock = await table.read(phoneLockKey(random.pick(all)));
      return contacts.remove(holderOf(lock) ?? 'nobody');
    };
    const say = async () => {
      const number = random.pick(all);
      const wants = random.chance(0.5) ? 'in' : 'out';
      await numbers.text(number, wants === 'in' ? 'START' : 'STOP');
      said.set(number, wants);
    };
    const changes = [move, move, remove, () => numbers.lead(random.pick(all))];

    for (let round = 0; round < rounds; round += 1) {
      const others = Array.from({ length: 3 }, () => random.pick(changes)());
      await Promise.all([say(), ...others]);
      for (const number of all) {
        expect([round, number, await consentOfNumber(number)]).toEqual([round, number, said.get(number)]);
      }
    }
  },
  60_000,
);
