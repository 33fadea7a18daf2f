import * as z from 'zod/mini';
import { described } from '../../../../../shared/kernel/schemas/descriptions.ts';
import { anyString } from '../../../../../shared/kernel/schemas/fields.ts';
import { day, timestamp } from '../../../../../shared/kernel/time.ts';
import { timeZone } from '../../../../../shared/organizations/local-time.ts';
import { openingAt } from '../../../../../shared/organizations/opening.ts';
import type { SkipReason } from '../../../../../shared/workflows/run-statuses.ts';
import { instantsOf, writtenTimePattern } from '../../../../../shared/written-times.ts';
import { hiddenFields } from '../can-see.ts';
import type { Outcome } from '../decision.ts';
import { fieldValue } from '../fields.ts';
import { noneIfEmptyIn } from '../none-if-empty.ts';
import { FieldPath } from './node-fields.ts';
import { type DecisionInput, nodeType } from './node-type.ts';

const TimeOfDay = noneIfEmptyIn(
  z.string().check(z.regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day like 09:00')),
);

const DateOrTime = noneIfEmptyIn(
  z.string().check(
    z.refine((text) => instantsOf(text, 'UTC') !== undefined, 'must be a date or a time in ISO 8601'),
    z.meta({
      pattern: writtenTimePattern,
      examples: ['2026-12-24', '2026-12-24T09:00', '2026-12-24T08:00:00.000Z'],
    }),
  ),
);

const isKnownZone = z.refine<string>((name) => {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }) !== undefined;
  } catch {
    return false;
  }
}, 'must be a time zone like Europe/Berlin');

const WaitUntilData = described(
  z
    .object({
      at: z.optional(DateOrTime),
      field: z.optional(FieldPath),
      timeOfDay: z.optional(TimeOfDay),
      zone: z.optional(anyString.check(isKnownZone)),
      businessHours: z.optional(z.boolean()),
    })
    .check(
      z.refine(
        ({ at, field, timeOfDay, businessHours }) =>
          at !== undefined || field !== undefined || timeOfDay !== undefined || businessHours === true,
        'must have at, field, timeOfDay or businessHours',
      ),
      z.refine(({ at, field }) => at === undefined || field === undefined, 'must not have both at and field'),
    ),
  {
    at: 'A date, which is the beginning of that day, or a time; in the `zone`, unless it has an offset.',
    field:
      'A field with a date or a time, like `contact.customFields.renewal`. Skipped with `no_date` if it has none.',
    timeOfDay:
      'Like `09:00`: the next time it is that time in the `zone`, or, with `at` or `field`, that time on their day. Of a time that comes twice as clocks are put back, the first one counts.',
    zone: 'The time zone, by its IANA name. That of the organization unless stated.',
    businessHours: '`true`: not before the organization is open, counted from that time, or from now.',
  },
  {
    anyOf: [
      { required: ['at'] },
      { required: ['field'] },
      { required: ['timeOfDay'] },
      { required: ['businessHours'], properties: { businessHours: { const: true } } },
    ],
    not: { required: ['at', 'field'] },
  },
);

type Data = z.output<typeof WaitUntilData>;

export default nodeType<Data, SkipReason | undefined>({
  type: 'waitUntil',
  title: 'Wait until',
  description:
    'Waits until a date, the date in a field, a time of day or the next business hours, and continues; at once if that time has passed. Skipped with `no_date` if the field has no date, `outside_hours` if the organization has no business hours to wait for, `contact_not_visible` if the field is one of the contact and the owner of the workflow may not see it.',
  schema: WaitUntilData,
  waits: true,
  read: ({ field }, sources) => hiddenFields(sources, field === undefined ? [] : [field]),
  decide: (data, input) => ({ outcome: outcomeOf(data, input) }),
});

function outcomeOf(data: Data, input: DecisionInput<SkipReason | undefined>): Outcome {
  const { facts, now, extra: hidden } = input;
  if (hidden !== undefined) {
    return { status: 'skipped', reason: hidden };
  }
  const begin = beginOf(data, input);
  if (begin === undefined) {
    return { status: 'skipped', reason: 'no_date' };
  }
  const earliest = new Date(Math.max(begin, now.getTime()));
  const until = data.businessHours === true ? inHours(facts.hours, earliest) : earliest;
  if (until === undefined) {
    return { status: 'skipped', reason: 'outside_hours' };
  }
  return until.getTime() <= now.getTime()
    ? { status: 'passed' }
    : { status: 'waiting', until: timestamp(until) };
}

/** The instant that the data names; now if it names business hours alone. */
function beginOf(
  data: Data,
  { facts, now }: Pick<DecisionInput<unknown>, 'facts' | 'now'>,
): number | undefined {
  const { at, field, timeOfDay } = data;
  const zone = data.zone ?? facts.hours.timezone;
  if (at === undefined && field === undefined) {
    return timeOfDay === undefined ? now.getTime() : nextTime(timeOfDay, zone, now.getTime());
  }
  const named = instantsOf(at ?? fieldValue(field ?? '', { facts, now }), zone);
  return named && (timeOfDay === undefined ? named.first : onDayOf(named.first, timeOfDay, zone));
}

/** The time of day on the day of an instant. */
function onDayOf(instant: number, timeOfDay: string, zone: string): number {
  return timesOfDay(instant, timeOfDay, zone)(0);
}

/**
 * The next instant at which clocks of the zone show the time of day. Where clocks are put back, a time of day comes twice, and only the first
 * one counts: after that it is the one of the next day. One that the change skips is later that day, so three days always have a next one.
 */
function nextTime(timeOfDay: string, zone: string, now: number): number | undefined {
  return [0, 1, 2].map(timesOfDay(now, timeOfDay, zone)).find((instant) => instant >= now);
}

/** The time of day so many days of the calendar after an instant: these have 23 or 25 hours where clocks change. */
function timesOfDay(instant: number, timeOfDay: string, zone: string): (days: number) => number {
  const { localTimeAt, instantOf } = timeZone(zone);
  const midnight = Math.floor(localTimeAt(instant) / day) * day;
  const time = Date.parse(`1970-01-01T${timeOfDay}Z`);
  return (days) => instantOf(midnight + days * day + time);
}

function inHours(hours: Parameters<typeof openingAt>[0], at: Date): Date | undefined {
  const { open, opensAt } = openingAt(hours, at);
  return open ? at : opensAt;
}
