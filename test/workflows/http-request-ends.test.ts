import { expect, test } from 'vitest';
import { httpRequestKey } from '../../functions/workflows/model/runs/run.ts';
import { arrange } from '../harness/tenants.ts';
import { answering, setUpHttpRequests, startAnswering } from './http-requests.ts';
import { graphWith, manual, simulationsIn } from './simulating.ts';

const { tenants, product, runs, posting, posts, begin, told } = await setUpHttpRequests();
const { rep, admin, otherRep } = tenants;
const { simulated } = simulationsIn(tenants);

test.each([
  [
    'is cancelled',
    (runId: string) => product.call('cancel-workflow-run', { token: rep.token, path: { id: runId } }),
  ],
  [
    'is ended with its workflow',
    (_: string, workflowId: string) =>
      product.call('toggle-workflow', {
        token: rep.token,
        path: { id: workflowId },
        body: { enabled: false },
        query: { cancelRuns: 'true' },
      }),
  ],
  [
    'goes with its contact',
    (_: string, __: string, contactId: string) =>
      product.call('delete-contact', { token: admin.token, path: { id: contactId } }),
  ],
])('A run that %s posts nothing any more', async (_, end) => {
  const { receiver, received, url } = await startAnswering(answering(500));
  await using __ = receiver;
  const workflow = await posts({ url }, { type: 'stop' });
  const { runId, contactId } = await begin(workflow);
  await posting.attempt();
  await arrange(end(runId, workflow._id, contactId));

  await posting.attempt();

  expect(received).toHaveLength(1);
  expect(posting.waiting()).toEqual([]);
});

test('The request is deleted with its contact', async () => {
  const { runId, contactId } = await begin(await posts({ url: 'https://gone.invalid/' }, { type: 'stop' }));
  await posting.settle();
  expect(await runs.table.read(httpRequestKey(runId, 2))).toBeDefined();

  await arrange(product.call('delete-contact', { token: admin.token, path: { id: contactId } }));
  await posting.settle();

  expect(await runs.table.read(httpRequestKey(runId, 2))).toBeUndefined();
  posting.take();
});

test('Continuing a run by hand gives up the request', async () => {
  const { runId } = await begin(await posts({ url: 'https://gone.invalid/' }, { type: 'stop' }));
  await arrange(product.call('continue-workflow-run', { token: rep.token, path: { id: runId } }));
  await posting.settle();
  await runs.deliverAll();

  expect(await told(runId)).toEqual(['trigger passed', 'ask waiting', 'ask failed no_answer']);
  posting.take();
});

test('A step tells nobody outside of a contact that the owner of the workflow cannot see any more', async () => {
  const { receiver, received, url } = await startAnswering(answering(200));
  await using _ = receiver;
  const graph = graphWith(
    {
      trigger: manual,
      wait: { type: 'delay', data: { value: 1, unit: 'days' } },
      named: { type: 'httpRequest', data: { url, body: { name: '{{firstName}}' } } },
      field: { type: 'httpRequest', data: { url: `${url}/{{contact.customFields.city}}` } },
      header: { type: 'httpRequest', data: { url, headers: { 'x-tags': '{{contact.tags}}' } } },
      event: { type: 'httpRequest', data: { url, body: { plan: '{{event.plan}}' } } },
    },
    ['trigger wait', 'wait named', 'named field', 'field header', 'header event'],
  );
  const workflow = await runs.newWorkflow(graph);
  const { _id: contactId } = (
    await arrange(
      product.call('create-contact', { token: admin.token, body: { firstName: 'Ada', owner: rep.userId } }),
    )
  ).data;
  const runId = await runs.start(workflow, contactId, { event: { plan: 'gold' } });
  await runs.advance(runId);
  await arrange(
    product.call('update-contact', {
      token: admin.token,
      path: { id: contactId },
      body: { owner: otherRep.userId },
    }),
  );
  await runs.advance(runId, new Date(Date.now() + 2 * 86_400_000));
  await posting.attempt();

  expect((await told(runId)).slice(3, 6)).toEqual([
    'named skipped contact_not_visible',
    'field skipped contact_not_visible',
    'header skipped contact_not_visible',
  ]);
  expect(received.map(({ body }) => body)).toEqual([{ plan: 'gold' }]);
});

test('A simulation says what it would post and where, and posts nothing', async () => {
  const { receiver, received, url } = await startAnswering(answering(500));
  await using _ = receiver;
  const { path } = await simulated(
    graphWith(
      {
        trigger: manual,
        ask: {
          type: 'httpRequest',
          data: { url: `${url}/x`, headers: { authorization: 'Bearer s' }, body: { name: '{{firstName}}' } },
        },
        check: {
          type: 'condition',
          data: { rules: [{ field: 'step.ask.status', operator: 'equals', value: 200 }] },
        },
        tag: { type: 'addTags', data: { tags: ['told'] } },
      },
      ['trigger ask', 'ask check', 'check true tag'],
    ),
  );

  expect(path.map(({ nodeId, status, text }: Record<string, unknown>) => [nodeId, status, text])).toEqual([
    ['trigger', 'passed', undefined],
    ['ask', 'waiting', `POST ${url}/x\n{"name":"Alex"}`],
    ['ask', 'passed', undefined],
    ['check', 'passed', undefined],
    ['tag', 'passed', undefined],
  ]);
  await posting.settle();
  expect(posting.waiting()).toEqual([]);
  expect(received).toEqual([]);
});
