import * as z from 'zod/mini';
import { described } from '../../../shared/kernel/schemas/descriptions.ts';
import { anyBoolean, anyString, calendarDay } from '../../../shared/kernel/schemas/fields.ts';
import { exceptionalHoursDescriptions, holidayDescriptions } from './business-hours-descriptions.ts';
import { weekdayDescriptions, weekdays } from './week.ts';

const Week = described(z.object(weekdays(anyString)), weekdayDescriptions);

/** Source: specification, "Business-hours configuration". */
export const BusinessHoursResponse = described(
  z.object({
    timezone: anyString,
    businessHours: z.nullable(Week),
    holidays: z.array(described(z.object({ date: calendarDay, label: anyString }), holidayDescriptions)),
    exceptionalHours: z.array(
      described(
        z.object({
          date: calendarDay,
          closed: anyBoolean,
          start: z.exactOptional(anyString),
          end: z.exactOptional(anyString),
          label: anyString,
        }),
        exceptionalHoursDescriptions,
      ),
    ),
    allowUserBusinessHoursOverride: anyBoolean,
  }),
  {
    timezone: 'The IANA time zone that all times are in, like `Europe/Berlin`.',
    businessHours: 'The usual week by day. A day left out is closed; null when there is no schedule.',
    holidays: 'Days on which the organization is closed.',
    exceptionalHours: 'Days with hours of their own, which override holidays and the usual week.',
    allowUserBusinessHoursOverride: 'Whether users may have hours of their own.',
  },
  { id: 'BusinessHours', description: 'When an organization is open.' },
);
