import { definedOnly } from '../../shared/kernel/defined-only.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { dataResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { businessHours } from '../../shared/organizations/business-hours.ts';
import { BusinessHoursFields } from './model/business-hours-fields.ts';
import { BusinessHoursResponse } from './model/business-hours-response.ts';
import { changeSettings } from './model/settings.ts';

export default operation({
  route: 'PUT /api/organizations/{organizationId}/business-hours',
  summary: 'Update the business hours of an organization',
  description: [
    'Fields you leave out keep their value; objects and lists are replaced as a whole. Only an ADMIN of the organization or a SUPERADMIN may do this; an ADMIN who names another organization gets 403, whether or not it exists.',
    'Times are `HH:mm` from 00:00 to 23:59; an `end` that is not after its `start` is on the next day, and an `end` of 23:59 includes that minute, until midnight. A closed day needs no times, and any that are sent are ignored. Exceptional hours override holidays, which override the weekly schedule: [Organizations](#/Organizations) has the rules.',
  ].join('\n\n'),
  family: 'organizations',
  minimumRole: 'ADMIN',
  organization: 'path',
  body: BusinessHoursFields,
  descriptions: {
    timezone: 'A name or link of the IANA time zone database, spelled as there: `Europe/Berlin`.',
    businessHours:
      'The week by day. A day that is left out, or has `enabled: false`, is closed; the latter needs no times. Null clears the whole schedule.',
    holidays: 'Days on which the organization is closed, at most 200.',
    exceptionalHours:
      'Days with hours of their own, at most 200; `start` and `end` are required unless `closed` is true.',
    allowUserBusinessHoursOverride: 'Whether users may have hours of their own.',
  },
  output: dataResponse(BusinessHoursResponse),
  failures: ['NOT_FOUND'],
  example: {
    path: { organizationId: demo.organization },
    body: {
      timezone: 'Europe/Berlin',
      businessHours: {
        monday: { enabled: true, start: '09:00', end: '17:30' },
        friday: { enabled: true, start: '09:00', end: '15:00' },
        saturday: { enabled: false },
      },
      holidays: [{ date: '2026-12-25', label: 'Christmas Day' }],
      exceptionalHours: [
        { date: '2026-12-24', closed: false, start: '09:00', end: '12:00', label: 'Christmas Eve' },
        { date: '2026-12-31', closed: true, label: "New Year's Eve" },
      ],
      allowUserBusinessHoursOverride: false,
    },
  },
  uses: { table: 'write' },
  async run({ body }, { table, now, newId }) {
    const data = await changeSettings(table, 'business_hours', businessHours, definedOnly(body), {
      now,
      newId,
    });
    return ok({ data });
  },
});
