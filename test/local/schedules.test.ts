import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { SchedulePlan } from '../../infra/local/schedule-plan.ts';
import { openSchedules, type Schedules } from '../../infra/local/schedules.ts';
import { fixtureAssembly } from '../harness/assembly.ts';
import { eventually } from '../harness/eventually.ts';
import type { Json } from '../harness/json.ts';
import { changedAssembly } from './fixture/changed-assembly.ts';
import { startFixture } from './fixture/running.ts';

const often = (functionName: string): SchedulePlan => ({
  id: functionName,
  functionName,
  everyMilliseconds: 5,
  ruleArn: 'arn',
});
const seldom = (functionName: string): SchedulePlan => ({
  ...often(functionName),
  everyMilliseconds: 100 * 86_400_000,
});

let schedules: Schedules;
afterEach(() => schedules?.stop());

/** Schedules over functions that only count their runs. */
function counting(answer: (functionName: string) => Promise<unknown> = async () => undefined) {
  const runs: string[] = [];
  const lines: string[] = [];
  schedules = openSchedules({
    invoke: async (functionName) => {
      runs.push(functionName);
      return answer(functionName);
    },
    log: (line) => lines.push(line),
  });
  const times = (functionName: string) => runs.filter((name) => name === functionName).length;
  return { runs, lines, times, often: (name: string) => eventually(() => times(name) >= 3) };
}

test('A schedule runs its function from the start on, at once and then at its rate, until it is stopped', async () => {
  const functions = counting();
  schedules.run([often('tick'), seldom('rarely')]);
  expect(functions.runs).toEqual([]);
  schedules.start();
  expect(functions.runs).toEqual(['tick', 'rarely']);
  await functions.often('tick');
  expect(functions.times('rarely')).toBe(1);

  schedules.stop();
  const before = functions.times('tick');
  schedules.start();
  expect(functions.times('tick')).toBe(before + 1);
});

test('A schedule that stays the same keeps its pace when the templates change; a new one runs at once, and one that is gone does not', async () => {
  const functions = counting();
  schedules.start();
  schedules.run([seldom('kept'), seldom('changed'), often('gone')]);
  schedules.run([seldom('kept'), often('changed'), seldom('added')]);
  expect(functions.runs).toEqual(['kept', 'changed', 'gone', 'changed', 'added']);
  await functions.often('changed');
  expect(functions.times('kept')).toBe(1);
  expect(functions.times('gone')).toBe(1);
});

test('A schedule does not run a function that is not done with the run before', async () => {
  const slow = Promise.withResolvers<void>();
  const functions = counting((name) => (name === 'slow' ? slow.promise : Promise.resolve()));
  schedules.start();
  schedules.run([often('slow'), often('tick')]);
  await functions.often('tick');
  expect(functions.times('slow')).toBe(1);
  slow.resolve();
  await functions.often('slow');
});

test('A schedule goes on after a run that failed, and says why one could not be made', async () => {
  const functions = counting(async () => {
    throw new Error('There is no function tick.');
  });
  schedules.start();
  schedules.run([often('tick')]);
  await functions.often('tick');
  expect(functions.lines[0]).toBe('tick was not run: Error: There is no function tick.');
});

let directory: string;
let assembly: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'schedules-test-'));
  assembly = await fixtureAssembly();
});
afterAll(() => rm(directory, { recursive: true, force: true }));

test('A schedule passes on the event that its rule has, and else the usual one', () => {
  const events: unknown[] = [];
  schedules = openSchedules({ invoke: async (_, event) => void events.push(event), log: () => undefined });
  schedules.run([
    { ...seldom('first'), input: '{"part":0}' },
    { ...seldom('second'), input: '{"part":1}' },
  ]);
  schedules.start();
  expect(events).toEqual([{ part: 0 }, { part: 1 }]);
});

test('A rule of the templates runs its function soon after the start of the schedules, and again when it changes', async () => {
  const running = await startFixture();
  const times = async () => Number((await running.read('tick'))?.times?.N ?? 0);
  await running.host.reload({ assembly });
  expect(await times()).toBe(0);
  running.host.startSchedules();
  await eventually(async () => (await times()) === 1);
  expect(JSON.parse((await running.read('tick'))?.event?.S ?? '')).toEqual({
    version: '0',
    id: expect.any(String),
    'detail-type': 'Scheduled Event',
    source: 'aws.events',
    account: '000000000000',
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    region: 'us-east-1',
    resources: [expect.stringMatching(/^arn:aws:events:us-east-1:000000000000:rule\/FixtureApi-/)],
    detail: {},
  });
  const other = await changedAssembly(directory, 'FixtureApi', ({ Resources }) => {
    const rule = Object.values<Json>(Resources).find(({ Type }) => Type === 'AWS::Events::Rule');
    rule.Properties.ScheduleExpression = 'rate(2 hours)';
  });
  await running.host.reload({ assembly: other });
  await eventually(async () => (await times()) === 2);
  await running.stop();
});
