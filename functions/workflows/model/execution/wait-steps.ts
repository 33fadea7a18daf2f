import { after, day, timestamp } from '../../../../shared/kernel/time.ts';
import { timeZone } from '../../../../shared/organizations/local-time.ts';
import { openingAt } from '../../../../shared/organizations/opening.ts';
import { parseInstants } from '../../../../shared/organizations/written-times.ts';
import type { SkipReason } from '../../../../shared/workflows/run-statuses.ts';
import { durationInMilliseconds, toAwaitedEvent } from '../definition/node-fields.ts';
import { delay, type WaitUntil, waitForEvent, waitUntil } from '../definition/wait-nodes.ts';
import { findHiddenReason } from './can-see.ts';
import type { Outcome } from './decision.ts';
import { type AnyExecutable, type DecisionInput, executable } from './executable.ts';
import { fieldValue } from './fields.ts';

/** How runs take the steps of nodes at which they wait. */
export const waitSteps: readonly AnyExecutable[] = [
  executable(delay, {
    decide: (data, { now }) => ({
      outcome: { status: 'waiting', until: timestamp(after(now, durationInMilliseconds(data))) },
    }),
  }),
  executable(waitForEvent, {
    decide: (data, { now, token }) => ({
      outcome: token.listens?.heard
        ? { status: 'passed', way: 'received' }
        : {
            status: 'waiting',
            until: timestamp(after(now, durationInMilliseconds(data.timeout))),
            awaits: toAwaitedEvent(data),
          },
    }),
  }),
  executable(waitUntil, {
    read: ({ field }, sources) => findHiddenReason(sources, field === undefined ? [] : [field]),
    decide: (data, input) => ({ outcome: outcomeOf(data, input) }),
  }),
];

function outcomeOf(data: WaitUntil, input: DecisionInput<SkipReason | undefined>): Outcome {
  const { context, now, extra: hidden } = input;
  if (hidden !== undefined) {
    return { status: 'skipped', reason: hidden };
  }
  const begin = beginOf(data, input);
  if (begin === undefined) {
    return { status: 'skipped', reason: 'no_date' };
  }
  const earliest = new Date(Math.max(begin, now.getTime()));
  const until = data.businessHours === true ? inHours(context.hours, earliest) : earliest;
  if (until === undefined) {
    return { status: 'skipped', reason: 'outside_hours' };
  }
  return until.getTime() <= now.getTime()
    ? { status: 'passed' }
    : { status: 'waiting', until: timestamp(until) };
}

/** The instant that the data names; now if it names business hours alone. */
function beginOf(
  data: WaitUntil,
  { context, now }: Pick<DecisionInput<unknown>, 'context' | 'now'>,
): number | undefined {
  const { at, field, timeOfDay } = data;
  const zone = data.zone ?? context.hours.timezone;
  if (at === undefined && field === undefined) {
    return timeOfDay === undefined ? now.getTime() : nextTime(timeOfDay, zone, now.getTime());
  }
  const named = parseInstants(at ?? fieldValue(field ?? '', { context, now }), zone);
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
