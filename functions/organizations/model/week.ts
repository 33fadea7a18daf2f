import * as z from 'zod/mini';
import { described } from '../../../shared/kernel/descriptions.ts';
import { yesOrNo } from '../../../shared/kernel/fields.ts';

/** The fields of a week; a missing day is closed. `time` is stricter in a request than in a response. */
export function weekdays(time: z.ZodMiniString) {
  const times = z.exactOptional(time);
  const hours = z.exactOptional(
    described(z.object({ enabled: yesOrNo, start: times, end: times }), {
      enabled: 'Whether the day is a working day. If not, it needs no times.',
      start: 'When it begins, as `HH:mm`.',
      end: 'When it ends, as `HH:mm`. Not after `start`: on the next day.',
    }).check(
      z.refine(({ enabled, start }) => !enabled || start !== undefined, {
        path: ['start'],
        error: 'is required',
      }),
      z.refine(({ enabled, end }) => !enabled || end !== undefined, { path: ['end'], error: 'is required' }),
    ),
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
