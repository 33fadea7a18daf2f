import { afterEach, expect, test } from 'vitest';
import { after, day, hour } from '../../shared/kernel/time.ts';
import { setUpFaultyTable, setUpWorld } from '../harness/fixtures.ts';
import { arrange } from '../harness/world.ts';
import { inARow } from './advancing.ts';
import { newWorkflow } from './client.ts';
import { newRun, runsClient, writeRuns } from './runs-client.ts';

const world = await setUpWorld();
const { product, rep, newContact } = world;
const faulty = setUpFaultyTable();
afterEach(() => faulty.clear());
const client = runsClient(product, rep);

const newDelay = () =>
  newWorkflow(world, {
    ...{ enabled: true, settings: { reentry: 'always' } },
    ...inARow([{ type: 'delay', data: { value: 300, unit: 'days' } }]),
  });

/** As many runs of another workflow as a long history has; all have ended. */
async function writeHistory(contactId: string): Promise<void> {
  const { _id: workflowId } = await newDelay();
  const { organizationId, userId } = rep;
  const runs = Array.from({ length: 40 }, (_, index) => ({
    ...{ workflowId, contactId, userId },
    startedAt: after(new Date(), hour + index),
  }));
  await writeRuns(product, organizationId, runs);
}

async function start(contactId: string, workflowId: string): Promise<string> {
  const { data } = await arrange(client.run(workflowId, { contactId }));
  return data.runs[0].runId;
}

const cancelled = async (contactId: string, body = {}): Promise<string[]> =>
  (await arrange(client.cancelOfContact(contactId, body))).data.runs.map(
    ({ runId }: { runId: string }) => runId,
  );

test('Runs that wait are found behind a long history of runs that have ended, and that is not read', async () => {
  const { _id: contactId } = await newContact();
  const [one, other] = [await newDelay(), await newDelay()];
  const old = { workflowId: one._id, contactId, userId: rep.userId, startedAt: after(new Date(), -9 * day) };
  const [failed] = await writeRuns(product, rep.organizationId, [{ ...old, status: 'failed' }]);
  const first = await start(contactId, one._id);
  const second = await start(contactId, other._id);
  await writeHistory(contactId);
  expect(await cancelled(contactId, { workflowIds: [other._id] })).toEqual([second]);
  // It is older than the first one that was running.
  await arrange(client.retry(failed?._id ?? ''));
  expect(await cancelled(contactId)).toEqual([failed?._id, first]);
  faulty.clear();
  expect(await cancelled(contactId)).toEqual([]);
  const limits = faulty.tries('QueryCommand').map(({ Limit }) => Limit);
  expect(limits.sort()).toEqual([25, undefined]);
});

test('What comes after the last end of a run is found from there on', async () => {
  const { _id: contactId } = await newContact();
  const workflow = await newDelay();
  const { _id: gone } = await newRun(world, { contactId, status: 'finished' });
  const before = await start(contactId, workflow._id);
  expect(await cancelled(contactId)).toEqual([before]);
  const [first, second] = [await start(contactId, workflow._id), await start(contactId, workflow._id)];
  await writeHistory(contactId);
  expect(await cancelled(contactId)).toEqual([first, second].sort());
  expect([first, second]).not.toContain(gone);
});
