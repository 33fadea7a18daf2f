import { expect, test } from 'vitest';
import { eventsOf } from '../harness/events.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { expectStatus, failure, outcome } from '../harness/world.ts';
import { leadsClient } from './leads-client.ts';
import { leadSources, type Written } from './sent-forms.ts';

const product = await setUpProduct();

/** Of those that Ofcom keeps for drama (London, 020 7946 0000 to 0999): every numbering plan takes it. */
const digitsOf = (id: number) => `442079460${String(id).padStart(3, '0')}`;

const asWritten = (digits: string) => `+44 20 ${digits.slice(4, 8)} ${digits.slice(8)}`;

interface Expected {
  readonly firstName?: string;
  readonly lastName?: string;
  readonly email?: string;
  readonly hasNumber?: true;
  /** The fields whose value is kept as custom data. */
  readonly kept?: readonly (keyof Written)[];
}

const longName = 'Pablo Diego José '.repeat(20).trim();

/**
 * What people write, and what it is. Decisions 10, "Outreach lead, never lost for a detail": one of them is a reason to refuse the lead,
 * the others are contacts.
 */
const people: readonly (readonly [(digits: string) => Written, Expected | 'refused'])[] = [
  [
    (phone) => ({ firstName: 'Ada', lastName: 'Lovelace', phoneNumber: `+${phone}` }),
    { firstName: 'Ada', lastName: 'Lovelace', hasNumber: true },
  ],
  [
    (phone) => ({ firstName: 'Grace', phoneNumber: asWritten(phone) }),
    { firstName: 'Grace', hasNumber: true },
  ],
  [(phone) => ({ firstName: 'Linus', phoneNumber: Number(phone) }), { firstName: 'Linus', hasNumber: true }],
  [(phone) => ({ firstName: 'Edsger', phoneNumber: phone }), { firstName: 'Edsger', hasNumber: true }],
  [
    (phone) => ({ firstName: 'Barbara', phoneNumber: `00${phone}` }),
    { firstName: 'Barbara', hasNumber: true },
  ],
  [
    (phone) => ({ firstName: 'Niklaus', phoneNumber: ` ${phone}` }),
    { firstName: 'Niklaus', hasNumber: true },
  ],
  [
    (phone) => ({ firstName: 'Donald', phoneNumber: `\u202a+${phone}\u202c` }),
    { firstName: 'Donald', hasNumber: true },
  ],
  [(phone) => ({ phoneNumber: `+${phone}` }), { hasNumber: true }],
  [(phone) => ({ phoneNumber: Number(phone), email: 'nobody' }), { hasNumber: true, kept: ['email'] }],
  [() => ({ firstName: 'Teller' }), { firstName: 'Teller' }],
  [() => ({ lastName: 'Madonna' }), { lastName: 'Madonna' }],
  [() => ({ firstName: ' Suharto ', lastName: ' ' }), { firstName: 'Suharto' }],
  [() => ({ firstName: '孔', lastName: '丘' }), { firstName: '孔', lastName: '丘' }],
  [() => ({ firstName: 'O’Brien & Sons <info>' }), { firstName: 'O’Brien & Sons <info>' }],
  [() => ({ firstName: '+1', lastName: 'a=b&c' }), { firstName: '+1', lastName: 'a=b&c' }],
  [() => ({ firstName: '👩‍🚀', lastName: '🎈' }), { firstName: '👩‍🚀', lastName: '🎈' }],
  [() => ({ firstName: longName }), { firstName: longName.slice(0, 200).trim() }],
  [() => ({ firstName: 'é'.repeat(201) }), { firstName: 'é'.repeat(200) }],
  [() => ({ firstName: 42 }), { firstName: '42' }],
  [() => ({ firstName: 'Alan', lastName: false }), { firstName: 'Alan', lastName: 'false' }],
  [() => ({ email: 'only@example.com' }), { email: 'only@example.com' }],
  [() => ({ email: ' Spaced@Example.com\n' }), { email: 'Spaced@Example.com' }],
  [() => ({ firstName: 'Tim', email: 'tim (at) example.com' }), { firstName: 'Tim', kept: ['email'] }],
  [
    () => ({ firstName: 'Vint', email: 'N/A', phoneNumber: 'N/A' }),
    { firstName: 'Vint', kept: ['email', 'phoneNumber'] },
  ],
  [() => ({ firstName: 'Radia', phoneNumber: '#ERROR!' }), { firstName: 'Radia', kept: ['phoneNumber'] }],
  [() => ({ firstName: 'Ken', phoneNumber: 'ask my wife' }), { firstName: 'Ken', kept: ['phoneNumber'] }],
  [() => ({ firstName: 'Dennis', phoneNumber: 12 }), { firstName: 'Dennis', kept: ['phoneNumber'] }],
  [
    () => ({ firstName: 'Bjarne', phoneNumber: '4.42079E+11' }),
    { firstName: 'Bjarne', kept: ['phoneNumber'] },
  ],
  [
    () => ({ lastName: 'Perlman', email: '', phoneNumber: '-' }),
    { lastName: 'Perlman', kept: ['phoneNumber'] },
  ],
  [() => ({ firstName: '', phoneNumber: 'none', email: 'none' }), 'refused'],
];

const all = leadSources.flatMap((source, index) =>
  people.map(([write, expected], person) => {
    const id = index * people.length + person;
    return { source, id, written: write(digitsOf(id)), expected };
  }),
);

test('There are 200 leads or more', () => {
  expect(all.length).toBeGreaterThanOrEqual(200);
});

test.each(leadSources)(
  'Each lead of $name becomes a contact, and is heard once, unless it names nobody',
  async (source) => {
    const admin = await product.newOrganization();
    const leads = leadsClient(product, admin);
    const { _id: configurationId } = await leads.configure();
    const accepted: string[] = [];
    for (const { id, written, expected } of all.filter((one) => one.source === source)) {
      const response = await product.call('receive-lead', await source.send(configurationId, written, id));
      if (expected === 'refused') {
        expect(outcome(response)).toEqual(
          failure(
            400,
            'The lead names nobody. Send at least one of firstName, lastName, phoneNumber and email.',
          ),
        );
        continue;
      }
      const { contactId } = expectStatus(response, 200).data;
      accepted.push(contactId);
      const { firstName = '', lastName = '', email = null, hasNumber, kept = [] } = expected;
      const ofField = (name: keyof Written) => (source.isForm ? String(written[name]) : written[name]);
      expect(await leads.contact(contactId), JSON.stringify(written)).toMatchObject({
        ...{ firstName, lastName, email },
        phoneNumbers: hasNumber ? [{ value: `+${digitsOf(id)}` }] : [],
        customFields: { ...source.own(id), ...Object.fromEntries(kept.map((name) => [name, ofField(name)])) },
      });
    }
    expect(new Set(accepted).size).toBe(people.length - 1);
    const events = await eventsOf(product, admin.organizationId);
    const heard = events.filter(({ event }) => event === 'lead_received');
    expect(heard.map(({ data }) => data.contactId).sort()).toEqual([...accepted].sort());
  },
);
