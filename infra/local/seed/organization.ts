import { newAssignment, withNumber } from '../../../functions/organizations/model/assign-number.ts';
import { businessHours } from '../../../functions/organizations/model/business-hours.ts';
import { missedCallMessage } from '../../../functions/organizations/model/missed-call-message.ts';
import type { UserNumbers } from '../../../shared/organizations/phone-assignments.ts';
import { numberOwnerKey, userNumbersKey } from '../../../shared/organizations/phone-assignments.ts';
import type { Step, TableWriter } from '../../../shared/table/table.ts';
import type { Founded } from './accounts.ts';
import type { LoadedTable } from './connection.ts';

/** Numbers by the address of their user, the default one first; reserved for fiction like those of the contacts, but none of these. */
export const numbers: Readonly<Record<string, readonly { phoneNumber: string; label: string }[]>> = {
  'admin@example.com': [{ phoneNumber: '+12025550101', label: 'Front desk' }],
  'head@example.com': [{ phoneNumber: '+12025550117', label: 'Sales North' }],
  'rep@example.com': [
    { phoneNumber: '+12025550142', label: 'Desk' },
    { phoneNumber: '+12025550143', label: 'Campaigns' },
  ],
  // The example that takes a number away takes this one.
  'olena@example.com': [{ phoneNumber: '+12025550166', label: 'Support' }],
};

/** The settings of the demo organization and the phone numbers of its people. */
export function organizationSteps(
  { organization: tableOf, identity }: LoadedTable,
  { organization, users }: Founded,
  now: Date,
): Step[] {
  const table = tableOf(organization._id);
  return [
    ...settingsSteps(table, now.getUTCFullYear()),
    ...users.flatMap(({ _id: userId, email }) => {
      const owned = numbers[email] ?? [];
      const ofUser = owned.reduce<UserNumbers>(
        (before, number) =>
          withNumber(before, newAssignment(before, { userId, provider: 'twilio', ...number })),
        { userId, numbers: [] },
      );
      const owner = { organizationId: organization._id, userId, provider: 'twilio' };
      return owned.length === 0
        ? []
        : [
            table.add(userNumbersKey(userId), ofUser),
            ...owned.map(({ phoneNumber }) => identity.add(numberOwnerKey(phoneNumber), owner)),
          ];
    }),
  ];
}

function settingsSteps(table: TableWriter, year: number): Step[] {
  const weekday = { enabled: true, start: '09:00', end: '17:30' };
  return [
    table.add(businessHours.key, {
      timezone: 'America/New_York',
      businessHours: {
        monday: weekday,
        tuesday: weekday,
        wednesday: weekday,
        thursday: { ...weekday, end: '20:00' },
        friday: { ...weekday, end: '15:00' },
        saturday: { enabled: false, start: '10:00', end: '14:00' },
      },
      holidays: [year, year + 1].flatMap((each) => [
        { date: `${each}-01-01`, label: "New Year's Day" },
        { date: `${each}-07-04`, label: 'Independence Day' },
        { date: `${each}-12-25`, label: 'Christmas Day' },
      ]),
      exceptionalHours: [
        { date: `${year}-12-24`, closed: false, start: '09:00', end: '12:00', label: 'Christmas Eve' },
        { date: `${year}-12-31`, closed: true, label: 'Stocktaking' },
      ],
      allowUserBusinessHoursOverride: true,
    }),
    table.add(missedCallMessage.key, {
      missedCallMessage: 'Sorry we missed you, {{contactName}}. We will call back within the hour.',
      missedCallAutoMessageEnabled: true,
    }),
  ];
}
