import * as z from 'zod/mini';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { described } from '../../shared/kernel/schemas/descriptions.ts';
import { dataResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { anyBoolean, dateTime } from '../../shared/kernel/schemas/fields.ts';
import { businessHours } from '../../shared/organizations/business-hours.ts';
import { hoursRules } from '../../shared/organizations/day-hours.ts';
import { openingAt } from '../../shared/organizations/opening.ts';
import { comparable, parseMoment } from '../../shared/organizations/written-times.ts';
import { QueryCurrentMoment } from './model/current-moment.ts';
import { readStoredSettings } from './model/settings.ts';

export default operation({
  route: 'GET /api/organizations/{organizationId}/open',
  summary: 'Read whether an organization is open',
  description:
    'Now, or at another time. Every user may ask this of their own organization, and a SUPERADMIN of any; anyone else who names another organization gets 403, whether or not it exists. Each day has one rule: its exceptional hours, or else its holiday, or else its hours in the week. An organization without a weekly schedule is open on each day that has no rule of its own. All times are those of the clocks in the time zone of the organization. [Organizations](#/Organizations) has the rules for nights, for several openings on a day, and for changes of the clocks.',
  family: 'organizations',
  minimumRole: 'SALES_REP',
  organization: 'path',
  query: z.object({ at: z.optional(QueryCurrentMoment) }),
  descriptions: {
    at: 'The time to ask about, not before 1970; now by default. A date-time, or a date for the beginning of that day; without an offset, in the time zone of the organization.',
  },
  output: dataResponse(
    described(
      z.object({
        open: anyBoolean,
        because: z.enum(hoursRules),
        opensAt: z.exactOptional(dateTime),
        closesAt: z.exactOptional(dateTime),
      }),
      {
        open: 'Whether it is open at that time.',
        because:
          'The rule that decided: of the day on which the current hours began, or, while closed, of the day itself. `none`: there is no weekly schedule.',
        opensAt: 'While it is closed: when it opens next, however far away; left out if it never does.',
        closesAt:
          'While it is open: the first moment at which it is closed again; left out if it never closes.',
      },
      { id: 'Opening', description: 'Whether an organization is open at some time, and until when.' },
    ),
  ),
  failures: ['NOT_FOUND'],
  example: { path: { organizationId: demo.organization }, query: { at: '2026-11-23T15:00:00Z' } },
  uses: { table: 'read' },
  async run({ query }, { table, now }) {
    const hours = await readStoredSettings(table, businessHours);
    const at = query.at === undefined ? now : parseMoment(query.at, hours.timezone);
    const { opensAt, closesAt, ...rest } = openingAt(hours, at);
    return ok({
      data: {
        ...rest,
        ...(opensAt && { opensAt: comparable(opensAt) }),
        ...(closesAt && { closesAt: comparable(closesAt) }),
      },
    });
  },
});
