import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startHost } from '../../infra/local/host.ts';
import type { SchedulePlan } from '../../infra/local/schedule-plan.ts';
import { openSchedules, type Schedules } from '../../infra/local/schedules.ts';
import { fixtureAssembly } from '../harness/assembly.ts';
import { eventually } from '../harness/eventually.ts';
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

/** A copy of the assembly with other properties of its rule. */
async function assemblyWithRule(properties: object): Promise<string> {
  const copy = await mkdtemp(join(directory, 'changed-'));
  await cp(assembly, copy, { recursive: true });
  const file = join(copy, 'FixtureApi.template.json');
  const template = JSON.parse(await readFile(file, 'utf8'));
  const rule = Object.values<{ Type: string; Properties: object }>(template.Resources).find(
    ({ Type }) => Type === 'AWS::Events::Rule',
  );
  Object.assign(rule?.Properties ?? {}, properties);
  await writeFile(file, JSON.stringify(template));
  return copy;
}

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
  await running.host.reload({ assembly: await assemblyWithRule({ ScheduleExpression: 'rate(2 hours)' }) });
  await eventually(async () => (await times()) === 2);
  await running.stop();
});

test.each([
  [{ ScheduleExpression: 'cron(0 9 * * ? *)' }, 'only rates of minutes, hours or days'],
  [{ EventPattern: { source: ['aws.s3'] } }, 'the local host does not support patterns of events'],
  [{ ScheduleExpression: undefined }, 'only rules with a schedule'],
  [
    { Targets: [{ Id: 'Queue', Arn: 'arn:aws:sqs:us-east-1:1:queue' }] },
    'the local host supports only functions',
  ],
  [
    { Targets: [{ Id: 'Function', Arn: 'arn:aws:lambda:us-east-1:1:function:x', InputPath: '$.time' }] },
    'the local host does not transform events',
  ],
])('A rule of the templates with %j is refused: %s', async (properties, problem) => {
  const changed = await assemblyWithRule(properties);
  await expect(startHost({ assembly: changed, port: 0 })).rejects.toThrow(problem);
});
