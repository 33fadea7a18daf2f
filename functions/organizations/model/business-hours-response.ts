import * as z from 'zod/mini';
import { described } from '../../../shared/kernel/schemas/descriptions.ts';
import { anyText, calendarDay, yesOrNo } from '../../../shared/kernel/schemas/fields.ts';
import { exceptionalHoursDescriptions, holidayDescriptions } from './business-hours-descriptions.ts';
import { weekdayDescriptions, weekdays } from './week.ts';

const Week = described(z.object(weekdays(anyText)), weekdayDescriptions);

/** Source: specification, "Business-hours configuration". */
export const BusinessHoursResponse = described(
  z.object({
    timezone: anyText,
    businessHours: z.nullable(Week),
    holidays: z.array(described(z.object({ date: calendarDay, label: anyText }), holidayDescriptions)),
    exceptionalHours: z.array(
      described(
        z.object({
          date: calendarDay,
          closed: yesOrNo,
          start: z.exactOptional(anyText),
          end: z.exactOptional(anyText),
          label: anyText,
        }),
        exceptionalHoursDescriptions,
      ),
    ),
    allowUserBusinessHoursOverride: yesOrNo,
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
