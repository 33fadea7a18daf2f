import * as z from 'zod/mini';
import { described } from '../../../shared/kernel/descriptions.ts';
import { yesOrNo } from '../../../shared/kernel/fields.ts';

/** The fields of a week; a missing day is closed. `time` is stricter in a request than in a response. */
export function weekdays(time: z.ZodMiniString) {
  const hours = z.exactOptional(
    described(z.object({ enabled: yesOrNo, start: time, end: time }), {
      enabled: 'Whether the day is a working day.',
      start: 'When it begins, as `HH:mm`.',
      end: 'When it ends, as `HH:mm`. Before `start`: on the next day.',
    }),
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
