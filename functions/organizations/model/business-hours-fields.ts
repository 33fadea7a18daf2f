import * as z from 'zod/mini';
import { described } from '../../../shared/kernel/schemas/descriptions.ts';
import { anyBoolean, anyString, labelSchema, nameLimit } from '../../../shared/kernel/schemas/fields.ts';
import { exceptionalHoursDescriptions, holidayDescriptions } from './business-hours-descriptions.ts';
import { timeZones } from './time-zones.ts';
import { weekdayDescriptions, weekdays } from './week.ts';

/** Holidays, or exceptional hours, that an organization may have. Source: specification, "Limits". */
const maxDates = 200;

const TimeZone = anyString.check(
  z.refine(
    (name) => timeZones.has(name),
    'must be a name of the IANA time zone database, like Europe/Berlin',
  ),
);
const timeForm = /^([01]\d|2[0-3]):[0-5]\d$/;
const Time = anyString.check(z.meta({ pattern: timeForm.source }));

interface Times {
  start?: string;
  end?: string;
}

/** An open day needs both times. The times of a closed day are ignored: stored if they are valid, dropped otherwise. */
function timesOf<Day extends Times>(isOpen: (day: Day) => boolean): z.core.$ZodCheck<Day>[] {
  return [
    z.check((context) => {
      const { value, issues } = context;
      for (const name of isOpen(value) ? timeNames : []) {
        const time = value[name];
        if (!isTime(time)) {
          issues.push({
            code: 'custom',
            path: [name],
            input: time,
            message: time === undefined ? 'is required' : 'must be a time from 00:00 to 23:59, as HH:mm',
          });
        }
      }
    }),
    z.overwrite(
      (day) =>
        Object.fromEntries(
          Object.entries(day).filter(([name, value]) => !isTimeName(name) || isTime(value)),
        ) as Day,
    ),
  ];
}

const timeNames = ['start', 'end'] as const;
const isTimeName = (name: string) => (timeNames as readonly string[]).includes(name);

const isTime = (time: string | undefined) => time !== undefined && timeForm.test(time);

const CalendarDate = z.iso.date('must be a day of the calendar, as YYYY-MM-DD');
const Label = z._default(labelSchema(nameLimit), '');

const Week = described(
  z.strictObject(weekdays(Time, ...timesOf(({ enabled }: { enabled: boolean } & Times) => enabled))),
  weekdayDescriptions,
);
const Holiday = described(z.object({ date: CalendarDate, label: Label }), holidayDescriptions);
const ExceptionalHours = described(
  z.object({
    date: CalendarDate,
    closed: anyBoolean,
    start: z.exactOptional(Time),
    end: z.exactOptional(Time),
    label: Label,
  }),
  exceptionalHoursDescriptions,
).check(...timesOf(({ closed }: { closed: boolean } & Times) => !closed));

/** The business hours in a request; an absent key keeps its value. Source: decisions 7. */
export const BusinessHoursFields = z.partial(
  z.object({
    timezone: TimeZone,
    businessHours: z.nullable(Week),
    holidays: z.array(Holiday).check(z.maxLength(maxDates)),
    exceptionalHours: z.array(ExceptionalHours).check(z.maxLength(maxDates)),
    allowUserBusinessHoursOverride: anyBoolean,
  }),
);
