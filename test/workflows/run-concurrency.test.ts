import { expect, test } from 'vitest';
import { setUpTenants } from '../harness/fixtures.ts';
import { arrange } from '../harness/tenants.ts';
import { inARow, prepareRuns } from './advancing.ts';

const tenants = await setUpTenants();
const { product, rep } = tenants;
const runs = await prepareRuns(tenants);

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);
const call = (name: string, id: string, body?: unknown) =>
  arrange(product.call(name, { token: rep.token, path: { id }, body }));

test('Fifty runs for one contact add all their tags, each once, while people edit the contact', async () => {
  const { _id: contactId } = await tenants.newContact();
  const started = await Promise.all(
    numbers(50).map(async (number) => {
      const workflow = await runs.newWorkflow(inARow([{ type: 'addTags', data: { tags: [`t${number}`] } }]));
      return runs.start(workflow, contactId);
    }),
  );
  let isOver = false;
  const editing = (async () => {
    let edits = 0;
    while (!isOver) {
      edits += 1;
      await call('update-contact', contactId, { source: `Edit ${edits}` });
    }
    return `Edit ${edits}`;
  })();
  // What meets too many others is tried again.
  for (let left = started; left.length > 0; ) {
    await Promise.all(left.map((runId) => runs.advance(runId)));
    const now = await Promise.all(left.map((runId) => runs.run(runId)));
    left = left.filter((_, index) => now[index]?.finishedAt === undefined);
  }
  isOver = true;
  const source = await editing;
  const { data } = await call('read-contact', contactId);
  expect(data.tags.sort()).toEqual(
    numbers(50)
      .map((number) => `t${number}`)
      .sort(),
  );
  expect(data.source).toBe(source);
  for (const runId of started) {
    expect(await runs.stepRecords(runId)).toMatchObject([
      { nodeId: 'trigger' },
      { nodeId: 'n1', status: 'passed' },
    ]);
  }
});
