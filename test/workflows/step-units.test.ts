import { expect, test } from 'vitest';
import advanceWorkflowRun from '../../functions/workflows/advance-workflow-run.ts';
import { serveQueue } from '../../shared/kernel/serve/serve-queue.ts';
import { setUpWorld } from '../harness/fixtures.ts';
import { queueEvent, runtimeAt } from '../harness/queues.ts';
import { type GraphNode, inARow, runsOf } from './advancing.ts';

const world = await setUpWorld();
const { product, rep } = world;
const runs = await runsOf(world);

/** The write units of a run with these nodes, all taken in one turn. */
async function unitsOf(nodes: readonly GraphNode[]): Promise<number> {
  const { _id: contactId } = await world.newContact();
  const runId = await runs.start(await runs.newWorkflow(inARow(nodes)), contactId);
  let units = 0;
  const log = (line: Record<string, unknown>) => {
    units += Number(line.writeUnits ?? 0);
  };
  const handle = serveQueue('advance-workflow-run', advanceWorkflowRun, runs.providers, runtimeAt({ log }));
  const message = { organizationId: rep.organizationId, runId, tries: 0 };
  await handle(queueEvent([JSON.stringify(message)]));
  return units;
}

const note = (id: string): GraphNode => ({ id, type: 'addNote', data: { note: 'Called back' } });

test('A step costs at most 8 write units beside those of its effect', async () => {
  const { _id: contactId } = await world.newContact();
  const { consumed } = await product.call('create-note', {
    token: rep.token,
    body: { contactId, note: 'Called back' },
  });
  const ofEffect = consumed?.writeUnits ?? Number.NaN;
  const base = await unitsOf([{ type: 'stop' }]);
  const stop: GraphNode = { id: 'end', type: 'stop' };
  expect((await unitsOf([note('first'), stop])) - base - ofEffect).toBeLessThanOrEqual(8);
  expect((await unitsOf([note('first'), note('second'), stop])) - base - 2 * ofEffect).toBeLessThanOrEqual(
    16,
  );
  const way: GraphNode = { type: 'switch', data: { field: 'contact.stage', cases: [] } };
  expect((await unitsOf([way, stop])) - base).toBeLessThanOrEqual(6);
});
