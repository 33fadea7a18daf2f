import * as z from 'zod/mini';
import { described } from '../../../shared/kernel/schemas/descriptions.ts';
import { anyBoolean } from '../../../shared/kernel/schemas/fields.ts';

/** The hours of a day of the week. */
interface DayHours {
  enabled: boolean;
  start?: string;
  end?: string;
}

/** The fields of a week; a missing day is closed. `time` and `checks` are stricter in a request than in a response. */
export function weekdays(time: z.ZodMiniString, ...checks: z.core.$ZodCheck<DayHours>[]) {
  const hours = z.exactOptional(
    described(z.object({ enabled: anyBoolean, start: z.exactOptional(time), end: z.exactOptional(time) }), {
      enabled: 'Whether the day is a working day.',
      start: 'When it begins, as `HH:mm`; a day that is not enabled needs no times.',
      end: 'When it ends, as `HH:mm`. Not after `start`: on the next day. 23:59 includes that minute, until midnight.',
    }).check(...checks),
  );
  return {
    monday: hours,
    tuesday: hours,
    wednesday: hours,
    thursday: hours,
    friday: hours,
    saturday: hours,
    sunday: hours,
  };
}

export const weekdayDescriptions = {
  monday: 'Hours on Mondays.',
  tuesday: 'Hours on Tuesdays.',
  wednesday: 'Hours on Wednesdays.',
  thursday: 'Hours on Thursdays.',
  friday: 'Hours on Fridays.',
  saturday: 'Hours on Saturdays.',
  sunday: 'Hours on Sundays.',
};
