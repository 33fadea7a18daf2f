import * as z from 'zod/mini';
import { described } from '../../../../shared/kernel/schemas/descriptions.ts';
import { anyString } from '../../../../shared/kernel/schemas/fields.ts';
import { parseInstants, writtenTimePattern } from '../../../../shared/organizations/written-times.ts';
import { readData } from './node-data.ts';
import {
  Duration,
  eventFieldDescriptions,
  eventFields,
  FieldPath,
  noneIfEmptyIn,
  toAwaitedEvent,
} from './node-fields.ts';
import { nodeType } from './node-type.ts';
import type { Topic } from './topics.ts';

export const delay = nodeType({
  type: 'delay',
  title: 'Delay',
  description: 'Waits for at most 365 days, then continues.',
  schema: Duration,
  waits: true,
});

const WaitForEventData = described(z.object({ ...eventFields, timeout: Duration }), {
  event: 'What it waits for, of the contact of the run.',
  ...eventFieldDescriptions,
  timeout: 'How long it waits, at most 365 days.',
});

export const waitForEvent = nodeType({
  type: 'waitForEvent',
  title: 'Wait for an event',
  description:
    'Waits until something happens to the contact (the way `received`), or for a time (the way `timeout`). It listens from the step before it on: however fast the contact answers what that step sent, the answer is not missed. What happened earlier does not count.',
  schema: WaitForEventData,
  waits: true,
  ways: () => ['received', 'timeout'],
  awaits(data): readonly Topic[] {
    const read = readData(WaitForEventData, data);
    return read.success ? [read.data.event] : [];
  },
  listensTo(data) {
    const read = readData(WaitForEventData, data);
    return read.success ? toAwaitedEvent(read.data) : undefined;
  },
});

const TimeOfDay = noneIfEmptyIn(
  z.string().check(z.regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day like 09:00')),
);

const DateOrTime = noneIfEmptyIn(
  z.string().check(
    z.refine((text) => parseInstants(text, 'UTC') !== undefined, 'must be a date or a time in ISO 8601'),
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

export type WaitUntil = z.output<typeof WaitUntilData>;

export const waitUntil = nodeType<z.output<typeof WaitUntilData>>({
  type: 'waitUntil',
  title: 'Wait until',
  description:
    'Waits until a date, the date in a field, a time of day or the next business hours, and continues; at once if that time has passed. Skipped with `no_date` if the field has no date, `outside_hours` if the organization has no business hours to wait for, `contact_not_visible` if the field is one of the contact and the owner of the workflow may not see it.',
  schema: WaitUntilData,
  waits: true,
});
