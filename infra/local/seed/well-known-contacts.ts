import * as demo from '../../../shared/kernel/demo-ids.ts';
import { after, day } from '../../../shared/kernel/time.ts';
import { fixedIds, type Randomness } from './randomness.ts';
import { emailOf, lastMessage, type SeedContact } from './seed-contacts.ts';

type Named = readonly [firstName: string, lastName: string, city: string, _id?: string];

/** The contacts of each stage of the board, from the first stage on; in each stage the newest first. */
const columns: readonly (readonly Named[])[] = [
  [
    ['Ada', 'Lovelace', 'London', demo.ada],
    ['Grace', 'Hopper', 'New York'],
    ['Alan', 'Turing', 'London'],
    ['Hedy', 'Lamarr', 'Vienna', demo.hedy],
    ['Charles', 'Babbage', 'London'],
    ['Marie', 'Curie', 'Paris'],
    ['Nikola', 'Tesla', 'New York'],
    ['Emmy', 'Noether', 'Göttingen'],
    ['Claude', 'Shannon', 'Boston'],
    ['Rosalind', 'Franklin', 'London'],
    ['Isaac', 'Newton', 'Cambridge'],
    ['Katherine', 'Johnson', 'Hampton'],
  ],
  [
    ['Florence', 'Nightingale', 'London'],
    ['Galileo', 'Galilei', 'Padua'],
    ['Mary', 'Anning', 'Lyme Regis'],
    ['Johannes', 'Kepler', 'Prague'],
    ['Lise', 'Meitner', 'Berlin'],
    ['Michael', 'Faraday', 'London'],
    ['Sofia', 'Kovalevskaya', 'Stockholm'],
    ['Leonhard', 'Euler', 'Basel'],
    ['Caroline', 'Herschel', 'Bath'],
    ['Carl', 'Linnaeus', 'Uppsala'],
    ['Dian', 'Fossey', 'San Francisco'],
    ['Louis', 'Pasteur', 'Paris'],
  ],
  [
    ['Albert', 'Einstein', 'Bern'],
    ['Maria', 'Mitchell', 'Nantucket'],
    ['Niels', 'Bohr', 'Copenhagen'],
    ['Dorothy', 'Hodgkin', 'Oxford'],
    ['Max', 'Planck', 'Berlin'],
    ['Barbara', 'McClintock', 'Hartford'],
    ['Richard', 'Feynman', 'New York'],
    ['Émilie', 'du Châtelet', 'Paris'],
    ['James', 'Maxwell', 'Edinburgh'],
    ['Vera', 'Rubin', 'Washington'],
    ['Enrico', 'Fermi', 'Rome'],
    ['Gerty', 'Cori', 'Prague'],
  ],
  [
    ['Leonardo', 'da Vinci', 'Florence'],
    ['Jane', 'Austen', 'Bath'],
    ['Jules', 'Verne', 'Nantes'],
    ['Mary', 'Shelley', 'London'],
    ['Mark', 'Twain', 'Hannibal'],
    ['Selma', 'Lagerlöf', 'Falun'],
    ['Charles', 'Darwin', 'London'],
    ['Agatha', 'Christie', 'Torquay'],
    ['Victor', 'Hugo', 'Paris'],
    ['Virginia', 'Woolf', 'London'],
    ['Oscar', 'Wilde', 'Dublin'],
    ['Emily', 'Dickinson', 'Amherst'],
  ],
  [
    ['Amelia', 'Earhart', 'Atchison'],
    ['Marco', 'Polo', 'Venice'],
    ['Nellie', 'Bly', 'New York'],
    ['Roald', 'Amundsen', 'Oslo'],
    ['Isabella', 'Bird', 'Edinburgh'],
    ['Ernest', 'Shackleton', 'London'],
    ['Gertrude', 'Bell', 'Baghdad'],
    ['James', 'Cook', 'Whitby'],
    ['Bessie', 'Coleman', 'Chicago'],
    ['Fridtjof', 'Nansen', 'Oslo'],
    ['Ferdinand', 'Magellan', 'Porto'],
    ['Christopher', 'Columbus', 'Genoa', demo.spareContact],
  ],
];

/** The owners in turn: the rep owns twice as many as each of the others, including Ada. */
const owners = [demo.rep, demo.head, demo.rep, demo.yuki, demo.noor, demo.matteo, demo.olena];
const sources = ['Referral', 'Website', 'Trade fair', 'Newsletter'];

/** The largest age of these contacts. All others are older, so that these come first in every stage. */
export const wellKnownAge = 7 * day;

/** Their phone numbers are reserved for fiction, in an area code of their own. The first is Ada's. */
const numberOf = (index: number) => `+1303555${String(100 + index).padStart(4, '0')}`;

/** Famous people in every stage, with the same ids and numbers in every fresh database. */
export function wellKnownContacts(now: Date, random: Randomness): SeedContact[] {
  const newId = fixedIds(5);
  const age = (column: number, place: number) =>
    ((place * columns.length + column + 1) * wellKnownAge) / (columns.flat().length + 1);
  return columns.flatMap((people, column) =>
    people.map(([firstName, lastName, city, _id = newId()], place) => {
      const index = column * people.length + place;
      const createdAt = after(now, -age(column, place));
      const createdBy = owners[index % owners.length] ?? demo.rep;
      const optsOut = lastName === 'Babbage';
      const source = random.pick(sources);
      const tags = random.pick([[], [], ['vip'], ['wholesale'], ['callback']]);
      const fields = {
        firstName,
        lastName,
        email: emailOf(firstName, lastName, index),
        phoneNumbers: [{ value: numberOf(index), label: 'mobile', isPrimary: true }],
        owner: createdBy,
        // The user who follows up on the messages to him, until he opts out.
        assignees: optsOut ? [demo.rep] : [],
        source,
        tags: optsOut ? ['vip', 'wholesale'] : tags,
        customFields: {
          city,
          budget: 250 * (1 + random.below(80)),
          newsletter: random.chance(0.5) || optsOut,
        },
      };
      return {
        _id,
        createdAt,
        optsOut,
        createdBy,
        fields,
        move: column === 0 ? undefined : { stage: column, at: after(createdAt, age(column, place) / 4) },
        lastMessage:
          _id === demo.ada ? undefined : lastMessage(fields, createdAt, { users: owners, now }, random),
      };
    }),
  );
}
