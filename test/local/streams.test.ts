import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../harness/eventually.ts';
import { type Running, startFixture } from './fixture/running.ts';

let running: Running;
beforeAll(async () => {
  running = await startFixture();
});
afterAll(() => running.stop());

/** How often the consumer has got a job. */
const times = async (job: string) => Number((await running.read(`seen#${job}`))?.times?.N ?? 0);
const seen = (job: string) => eventually(async () => (await times(job)) || undefined);

test('A change of the table reaches the function, in the form that Lambda gives it', async () => {
  await running.put('job#plain', { n: { N: '1.5' } });
  await seen('job#plain');
  const item = await running.read('seen#job#plain');
  expect(JSON.parse(item?.streamRecord?.S ?? '')).toMatchObject({
    ApproximateCreationDateTime: expect.any(Number),
    Keys: { pk: { S: 'job#plain' } },
    NewImage: { pk: { S: 'job#plain' }, n: { N: '1.5' } },
    StreamViewType: 'NEW_AND_OLD_IMAGES',
  });
});

test('A change of the table that the filter leaves out does not', async () => {
  await running.put('other#1');
  await running.put('job#twice');
  await running.put('job#twice', { changed: { S: 'a MODIFY' } });
  await running.put('job#after');
  await seen('job#after');
  expect(await times('other#1')).toBe(0);
  expect(await times('job#twice')).toBe(1);
});
