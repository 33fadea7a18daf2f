import { afterEach, expect, test } from 'vitest';
import { readyRunKey } from '../../functions/workflows/model/runs/run.ts';
import { setUpFaultyTable } from '../harness/fixtures.ts';
import { arrange } from '../harness/tenants.ts';
import { startReceiver } from '../outgoing-posts/receiver.ts';
import { deliver } from './advancing.ts';
import { answering, setUpHttpRequests, startAnswering } from './http-requests.ts';
import { withEveryFault } from './request-faults.ts';
import { graphWith, manual } from './simulating.ts';

const { tenants, product, runs, posting, posts, begin, told, tagsOf } = await setUpHttpRequests();
const { rep } = tenants;
const faulty = setUpFaultyTable();
afterEach(() => faulty.clear());

/** Nobody listens at its port any more. */
const closed = await startReceiver(() => undefined);
await closed[Symbol.asyncDispose]();

test('A step posts JSON with its texts filled, and later steps go by the answer', async () => {
  const { receiver, received, url } = await startAnswering(
    answering(201, '{"score": {"value": 120210000000000123, "grades": ["A", "B"]}, "name": "Countess"}'),
  );
  await using _ = receiver;
  const workflow = await runs.newWorkflow(
    graphWith(
      {
        trigger: manual,
        ask: {
          type: 'httpRequest',
          data: {
            url: `${url}/contacts/{{contact._id}}?name={{firstName}}&plan={{event.plan}}`,
            headers: {
              'X-Api-Key': 'k1',
              'X-Name': '{{lastName}}',
              'Webhook-Id': 'chosen',
              Host: 'elsewhere',
            },
            body: { who: '{{fullName}}', plan: '{{event.plan}}', exact: 5, list: ['{{email|none}}'] },
            saveAs: 'rating',
          },
        },
        good: {
          type: 'condition',
          data: {
            rules: [
              { field: 'step.ask.status', operator: 'equals', value: 201 },
              { field: 'step.ask.body.score.value', operator: 'gt', value: 120210000000000100 },
              { field: 'step.rating.body.score.grades', operator: 'contains', value: 'b' },
            ],
          },
        },
        note: {
          type: 'addNote',
          data: { note: '{{step.rating.body.name}}: {{step.ask.body.score.value}}, {{step.ask.status}}' },
        },
      },
      ['trigger ask', 'ask good', 'good true note'],
    ),
  );
  const { runId, contactId } = await begin(workflow, { firstName: 'Ada & Co', lastName: 'Löve\u2028→' });

  expect(await told(runId)).toEqual(['trigger passed', 'ask waiting']);
  expect(received).toEqual([]);
  expect(await posting.attempt()).toEqual([0]);

  expect(received).toEqual([
    {
      url: `/contacts/${contactId}?name=Ada%20%26%20Co&plan=gold`,
      headers: {
        host: url.slice('http://'.length),
        connection: 'close',
        'user-agent': 'Switchboard',
        'content-type': 'application/json',
        'content-length': expect.any(String),
        'webhook-id': `${runId}_2`,
        'x-api-key': 'k1',
        'x-name': expect.stringMatching(/^L.ve$/),
      },
      body: { who: expect.stringContaining('Ada & Co'), plan: 'gold', exact: 5, list: ['none'] },
    },
  ]);
  expect(await told(runId)).toEqual([
    'trigger passed',
    'ask waiting',
    'ask passed',
    'good passed true',
    'note passed',
  ]);
  const notes = await arrange(product.call('list-notes', { token: rep.token, query: { contactId } }));
  expect(notes.data[0].note).toBe('Countess: 120210000000000123, 201');
  const run = await arrange(product.call('read-workflow-run', { token: rep.token, path: { id: runId } }));
  expect(run.data).toMatchObject({ status: 'finished' });
  expect(JSON.stringify(run.data)).not.toContain('Countess');
});

test('Another status is tried again after 5 seconds and 5 minutes with the same id, and then fails', async () => {
  const { receiver, received, url } = await startAnswering(answering(500), answering(302), answering(404));
  await using _ = receiver;
  const workflow = await posts({ url, body: { note: '{{firstName}}' } }, { type: 'stop' }, [
    'ask error failed',
  ]);
  const { runId, contactId } = await begin(workflow);

  expect(await posting.attempt()).toEqual([0]);
  expect(await told(runId)).toEqual(['trigger passed', 'ask waiting']);
  await arrange(
    product.call('update-contact', {
      token: rep.token,
      path: { id: contactId },
      body: { firstName: 'Grace' },
    }),
  );
  expect(await posting.attempt()).toEqual([5_000]);
  expect(await posting.attempt()).toEqual([300_000]);
  expect(await posting.attempt()).toEqual([]);

  expect(received.map(({ headers, body }) => [headers['webhook-id'], body])).toEqual(
    Array.from({ length: 3 }, () => [`${runId}_2`, { note: 'Ada' }]),
  );
  expect(await told(runId)).toEqual([
    'trigger passed',
    'ask waiting',
    'ask failed error status_404',
    'failed passed',
  ]);
  expect(await tagsOf(contactId)).toEqual(['failed']);
});

test('A later attempt that succeeds lets the run go on', async () => {
  const { receiver, url } = await startAnswering(answering(503), answering(204));
  await using _ = receiver;
  const { runId, contactId } = await begin(
    await posts({ url }, { type: 'addTags', data: { tags: ['told'] } }),
  );

  await posting.attempt();
  await posting.attempt();

  expect(await told(runId)).toEqual(['trigger passed', 'ask waiting', 'ask passed', 'after passed']);
  expect(await tagsOf(contactId)).toEqual(['told']);
});

test.each([
  ['http://10.0.0.1:8080/', 'refused_address'],
  ['https://169.254.169.254/latest/meta-data', 'refused_address'],
  ['https://example.com:22/', 'refused_address'],
  ['{{event.plan}}', 'refused_address'],
  [`http://127.0.0.1:${closed.port}/`, 'no_answer'],
])('A step that posts to %s fails its run without a way out: %s', async (url, reason) => {
  const { runId } = await begin(await posts({ url }, { type: 'stop' }));

  await posting.attempt();
  await posting.attempt();
  await posting.attempt();

  expect(await told(runId)).toEqual(['trigger passed', 'ask waiting', `ask failed ${reason}`]);
  expect(await runs.run(runId)).toMatchObject({ status: 'failed', reason });
});

test('A failed run that is tried again posts anew', async () => {
  const { receiver, received, url } = await startAnswering(
    ...[answering(500), answering(500), answering(500), answering(200)],
  );
  await using _ = receiver;
  const { runId } = await begin(await posts({ url }, { type: 'stop' }));
  for (let attempt = 0; attempt < 3; attempt += 1) {
    await posting.attempt();
  }
  await arrange(product.call('retry-workflow-run', { token: rep.token, path: { id: runId } }));
  await posting.settle();
  await runs.deliverAll();
  await posting.attempt();

  expect((await runs.run(runId))?.status).toBe('finished');
  expect(received.map(({ headers }) => headers['webhook-id'])).toEqual([
    ...Array.from({ length: 3 }, () => `${runId}_2`),
    `${runId}_4`,
  ]);
});

test('A message that the queue delivers twice posts with the same id, and takes the step once', async () => {
  const { receiver, received, url } = await startAnswering(answering(200));
  await using _ = receiver;
  const { runId, contactId } = await begin(await posts({ url }, { type: 'addNote', data: { note: 'Told' } }));
  await posting.settle();
  const messages = posting.take();

  await deliver([...messages, ...messages], undefined, runs.providers);
  await posting.attempt();
  await deliver(messages, undefined, runs.providers);
  await posting.attempt();

  expect(new Set(received.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([`${runId}_2`]));
  expect(received.length).toBeLessThanOrEqual(2);
  const notes = await arrange(product.call('list-notes', { token: rep.token, query: { contactId } }));
  expect(notes.data).toHaveLength(1);
});

test('An attempt ends the wait of its run once, whatever happens to whichever of its requests', async () => {
  const { receiver, url } = await startAnswering(answering(200, '{"score": 7}'));
  await using _ = receiver;
  const workflow = await posts(
    { url },
    { type: 'condition', data: { rules: [{ field: 'step.ask.body.score', operator: 'equals', value: 7 }] } },
  );
  const { organizationId } = rep;
  await withEveryFault(faulty, {
    begin: () => begin(workflow),
    work({ runId }) {
      const attempt = { organizationId, workflowId: workflow._id, runId, n: 2, attempt: 1 };
      return deliver([{ body: JSON.stringify(attempt) }], undefined, runs.providers);
    },
    async outcome({ runId }) {
      const run = await runs.run(runId);
      const ready = await runs.table.read(readyRunKey(runId));
      return [run?.status, run?.tokens.map(({ wait }) => wait?.result), ready !== undefined];
    },
    sameOutcome: (found, expected, when) => {
      expect(expected).toEqual(['running', [{ status: 200, body: '{"score": 7}' }], true]);
      expect(found, when).toEqual(expected);
    },
  });
});
