import { expect, test } from 'vitest';
import { readEvents } from '../harness/events.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { expectStatus, failure, outcome } from '../harness/tenants.ts';
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

/**
 * What people write, and what it is, where an encoding could make a difference. Decisions 10, "Outreach lead, never lost for a detail": one
 * of them is a reason to refuse the lead, the others are contacts. For the rest: test/outreach/never-lost.test.ts.
 */
const people: readonly (readonly [(digits: string) => Written, Expected | 'refused'])[] = [
  [
    (phone) => ({ firstName: 'Ada', lastName: 'Lovelace', phoneNumber: asWritten(phone) }),
    { firstName: 'Ada', lastName: 'Lovelace', hasNumber: true },
  ],
  [(phone) => ({ firstName: 'Linus', phoneNumber: Number(phone) }), { firstName: 'Linus', hasNumber: true }],
  [
    (phone) => ({ firstName: 'Donald', phoneNumber: `\u202a+${phone}\u202c` }),
    { firstName: 'Donald', hasNumber: true },
  ],
  [(phone) => ({ phoneNumber: `+${phone}` }), { hasNumber: true }],
  [() => ({ firstName: '孔', lastName: '👩‍🚀' }), { firstName: '孔', lastName: '👩‍🚀' }],
  [() => ({ firstName: 'O’Brien & Sons <info>' }), { firstName: 'O’Brien & Sons <info>' }],
  [() => ({ firstName: '+1', lastName: 'a=b&c' }), { firstName: '+1', lastName: 'a=b&c' }],
  [() => ({ email: ' Spaced@Example.com\n' }), { email: 'Spaced@Example.com' }],
  [
    () => ({ firstName: 'Vint', email: 'N/A', phoneNumber: 12 }),
    { firstName: 'Vint', kept: ['email', 'phoneNumber'] },
  ],
  [() => ({ firstName: '', phoneNumber: 'none', email: 'none' }), 'refused'],
];

test.each(leadSources)(
  'Each lead of $name becomes a contact, and is heard once, unless it names nobody',
  async (source) => {
    const admin = await product.newOrganization();
    const leads = leadsClient(product, admin);
    const { _id: configurationId } = await leads.configure();
    const accepted: string[] = [];
    for (const [person, [write, expected]] of people.entries()) {
      const id = leadSources.indexOf(source) * people.length + person;
      const written = write(digitsOf(id));
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
    const events = await readEvents(product, admin.organizationId);
    const heard = events.filter(({ event }) => event === 'lead_received');
    expect(heard.map(({ data }) => data.contactId).sort()).toEqual([...accepted].sort());
  },
);
