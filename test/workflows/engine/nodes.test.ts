import { expect, test } from 'vitest';
import { compilePlan } from '../../../functions/workflows/model/definition/compile-plan.ts';
import { decide } from '../../../functions/workflows/model/execution/decide.ts';
import type { Outcome } from '../../../functions/workflows/model/execution/decision.ts';
import { startingRun } from '../../../functions/workflows/model/execution/lifecycle.ts';
import type { StepContext } from '../../../functions/workflows/model/execution/step-context.ts';
import type { Caller } from '../../../shared/kernel/caller.ts';
import { businessHours } from '../../../shared/organizations/business-hours.ts';
import { contextWith, stateWith } from './step-context.ts';

// A Sunday, 13:30 in Berlin.
const now = new Date('2026-11-22T12:30:00.000Z');

const weekdays = { ...businessHours.initial, timezone: 'Europe/Berlin' };
const hours = {
  ...weekdays,
  businessHours: { monday: { enabled: true, start: '09:00', end: '17:00' } },
};

function outcomeOf(
  type: string,
  data: unknown,
  context: Partial<StepContext> = {},
  runId = 'r',
  at = now,
): Outcome {
  const plan = compilePlan(JSON.stringify({ nodes: [{ id: 'n', type, data }] }));
  const run = startingRun(
    {
      ...{ _id: runId, workflowId: 'w', contactId: 'c', userId: 'u', revision: 1 },
      ...{ triggerId: 'n', topic: 'contact.created', chain: ['w'] },
    },
    at,
  );
  const [token = { n: 1, nodeId: 'n' }] = run.tokens;
  return decide(plan, run, token, contextWith({ hours: weekdays, ...context }), undefined, at).outcome;
}

const until = (time: string) => ({ status: 'waiting', until: time });
const skipped = (reason: string) => ({ status: 'skipped', reason });
const passed = (way?: string) => ({ status: 'passed', ...(way !== undefined && { way }) });

test.each([
  [{ value: 90, unit: 'seconds' }, until('2026-11-22T12:31:30.000Z')],
  [{ value: 0.5, unit: 'hours' }, until('2026-11-22T13:00:00.000Z')],
  [{ value: 3, unit: 'weeks' }, until('2026-12-13T12:30:00.000Z')],
  [{ value: 365, unit: 'days' }, until('2027-11-22T12:30:00.000Z')],
  [{ value: 366, unit: 'days' }, skipped('invalid_data')],
  [{ value: 0, unit: 'days' }, skipped('invalid_data')],
  [{ value: 1, unit: 'months' }, skipped('invalid_data')],
  [{}, skipped('invalid_data')],
])('A delay of %j: %j', (data, outcome) => {
  expect(outcomeOf('delay', data)).toEqual(outcome);
});

test.each([
  [{ at: '2026-11-23T08:00:00.000Z' }, until('2026-11-23T08:00:00.000Z')],
  [{ at: '2026-11-23T08:00' }, until('2026-11-23T07:00:00.000Z')],
  [{ at: '2026-11-23T08:00', zone: 'America/New_York' }, until('2026-11-23T13:00:00.000Z')],
  [{ at: '2026-12-24' }, until('2026-12-23T23:00:00.000Z')],
  [{ at: '2026-12-24', timeOfDay: '09:30' }, until('2026-12-24T08:30:00.000Z')],
  [{ at: '2026-11-01' }, passed()],
  [{ timeOfDay: '14:00' }, until('2026-11-22T13:00:00.000Z')],
  [{ timeOfDay: '09:00' }, until('2026-11-23T08:00:00.000Z')],
  [{ timeOfDay: '13:30' }, passed()],
  [{ timeOfDay: '09:00', zone: 'Asia/Tokyo' }, until('2026-11-23T00:00:00.000Z')],
  [{ field: 'contact.customFields.renewal' }, until('2027-01-09T23:00:00.000Z')],
  [{ field: 'contact.customFields.renewal', timeOfDay: '10:00' }, until('2027-01-10T09:00:00.000Z')],
  [{ field: 'contact.createdAt' }, passed()],
  [{ field: 'contact.email' }, skipped('no_date')],
  [{ field: 'contact.firstName' }, skipped('no_date')],
  [{ field: null, timeOfDay: '14:00' }, until('2026-11-22T13:00:00.000Z')],
  [{ timeOfDay: '24:00' }, skipped('invalid_data')],
  [{ at: '2026-02-30' }, skipped('invalid_data')],
  [{ at: '2026-12-24', zone: 'Atlantis' }, skipped('invalid_data')],
  [{ at: '2026-12-24', field: 'contact.createdAt' }, skipped('invalid_data')],
  [{ businessHours: false }, skipped('invalid_data')],
  [{}, skipped('invalid_data')],
])('Waiting until %j: %j', (data, outcome) => {
  const state = stateWith({ customFields: { renewal: '2027-01-10' } });
  expect(outcomeOf('waitUntil', data, { state })).toEqual(outcome);
});

test('Waiting until business hours lasts until the next opening, and takes none from an organization that never opens', () => {
  const data = { businessHours: true };
  expect(outcomeOf('waitUntil', data)).toEqual(passed());
  expect(outcomeOf('waitUntil', data, { hours })).toEqual(until('2026-11-23T08:00:00.000Z'));
  expect(outcomeOf('waitUntil', { ...data, at: '2026-11-23T18:00' }, { hours })).toEqual(
    until('2026-11-30T08:00:00.000Z'),
  );
  expect(outcomeOf('waitUntil', data, { hours: { ...hours, businessHours: {} } })).toEqual(
    skipped('outside_hours'),
  );
});

test('A time of day that clocks skip is as much later', () => {
  const data = { at: '2027-03-28', timeOfDay: '02:30' };
  expect(outcomeOf('waitUntil', data)).toEqual(until('2027-03-28T01:30:00.000Z'));
});

// Clocks go from 02:00 to 03:00 on 14 March 2027, and from 02:00 to 01:00 on 7 November.
test.each([
  ['2027-03-13T23:30-05:00', '09:00', until('2027-03-14T13:00:00.000Z')],
  ['2027-03-14T01:30-05:00', '02:30', until('2027-03-14T07:30:00.000Z')],
  ['2027-03-14T23:30-04:00', '02:30', until('2027-03-15T06:30:00.000Z')],
  ['2027-11-07T00:30-04:00', '00:15', until('2027-11-08T05:15:00.000Z')],
  ['2027-11-07T00:30-04:00', '23:30', until('2027-11-08T04:30:00.000Z')],
  ['2027-11-07T01:15-04:00', '01:30', until('2027-11-07T05:30:00.000Z')],
  ['2027-11-07T01:15-05:00', '01:30', until('2027-11-08T06:30:00.000Z')],
])('From %s, the next time that it is %s where clocks change: %j', (at, timeOfDay, outcome) => {
  const data = { timeOfDay, zone: 'America/New_York' };
  expect(outcomeOf('waitUntil', data, {}, 'r', new Date(at))).toEqual(outcome);
});

test('A switch goes by the first case that the field equals, else along the default way', () => {
  const field = 'event.kind';
  const cases = ['a', 7, true, 'A'];
  const way = (kind: unknown) => outcomeOf('switch', { field, cases }, { event: { kind } });
  expect([way('A'), way('7'), way(true), way('b'), way(undefined)]).toEqual([
    ...[passed('a'), passed('7'), passed('true')],
    ...[passed(), passed()],
  ]);
});

test('A split sends runs along its ways in proportion to their weights, and each run always the same way', () => {
  const weights = { a: 1, b: 3, never: 0 };
  const ways = Array.from({ length: 4_000 }, (_, index) => {
    const outcome = outcomeOf('split', { weights }, {}, `run-${index}`);
    return outcome.status === 'passed' ? outcome.way : undefined;
  });
  const count = (way: string) => ways.filter((one) => one === way).length;
  expect(count('a') + count('b')).toBe(4_000);
  expect(count('a')).toBeGreaterThan(880);
  expect(count('a')).toBeLessThan(1_120);
  expect(outcomeOf('split', { weights }, {}, 'run-1')).toEqual(passed(ways[1]));
});

test.each([[{}], [{ a: 0 }], [{ a: -1, b: 2 }], [{ a: '1' }]])('A split by %j is skipped', (weights) => {
  expect(outcomeOf('split', { weights })).toEqual(skipped('invalid_data'));
});

test('A wait for an event knows what it waits for, and until when', () => {
  const filter = [{ field: 'event.text', operator: 'contains', value: 'yes' }];
  const data = { event: 'message.received', filter, match: null, timeout: { value: 2, unit: 'days' } };
  expect(outcomeOf('waitForEvent', data)).toEqual({
    ...until('2026-11-24T12:30:00.000Z'),
    awaits: { topic: 'message.received', filter, match: 'all' },
  });
  expect(outcomeOf('waitForEvent', { event: 'message.received' })).toEqual(skipped('invalid_data'));
});

const owner: Caller = { userId: 'u', role: 'SALES_REP', organizationId: 'o', homeOrganizationId: 'o' };

test('A stop ends the run, and an HTTP request waits for its answer for at most an hour', () => {
  expect(outcomeOf('stop', { note: 'x' })).toEqual({ status: 'passed', ends: 'run' });
  expect(outcomeOf('httpRequest', { url: 'https://example.com' }, { owner })).toEqual({
    ...until('2026-11-22T13:30:00.000Z'),
    isRequest: true,
  });
});

test.each(['', 'constructor', '__proto__', 'Delay'])('The type %j is unknown', (type) => {
  expect(outcomeOf(type, {})).toEqual(skipped('unknown_type'));
});
