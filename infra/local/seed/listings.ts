import { listingKey } from '../../../functions/marketplace/model/listing.ts';
import * as demo from '../../../shared/demo-ids.ts';
import { timestamp } from '../../../shared/kernel/time.ts';
import type { Step, TableWriter } from '../../../shared/table/table.ts';
import type { Founded } from './accounts.ts';
import type { Randomness } from './randomness.ts';

const offers = [
  {
    _id: demo.listing,
    name: 'Onboarding package',
    description: 'Three calls and a plan',
    content: { price: 490, currency: 'EUR' },
  },
  { name: 'Yearly review', description: 'Half a day on site', content: { price: 1200, currency: 'EUR' } },
  {
    _id: demo.spareListing,
    name: 'Support line',
    description: '',
    content: { perMonth: 39, languages: ['en', 'de', 'uk'] },
  },
];

/** What the organization offers. */
export function listingSteps(
  table: TableWriter,
  { organization, users }: Founded,
  random: Randomness,
  at: Date,
): Step[] {
  return offers.map(({ _id = random.idAt(at), ...offer }) => {
    return table.add(listingKey(_id), {
      _id,
      organizationId: organization._id,
      userId: users[0]?._id ?? '',
      ...offer,
      createdAt: timestamp(at),
      updatedAt: timestamp(at),
    });
  });
}
