import type { IncomingHttpHeaders, RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import { httpRequestKey, readyRunKey } from '../../functions/workflows/model/runs/run.ts';
import { setUpFaultyTable, setUpTenants } from '../harness/fixtures.ts';
import { arrange } from '../harness/tenants.ts';
import { startReceiver } from '../outgoing-posts/receiver.ts';
import { deliver, prepareRuns } from './advancing.ts';
import { preparePosting } from './posting.ts';
import { withEveryFault } from './request-faults.ts';
import { graphWith, manual, simulationsIn } from './simulating.ts';

const tenants = await setUpTenants();
const faulty = setUpFaultyTable();
afterEach(() => faulty.clear());
const { product, rep, admin, otherRep } = tenants;
const runs = await prepareRuns(tenants);
const posting = await preparePosting(tenants, runs);
const { simulated } = simulationsIn(tenants);

/** Nobody listens at its port any more. */
const closed = await startReceiver(() => undefined);
await closed[Symbol.asyncDispose]();

interface Received {
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

/** A receiver that answers each request with the next of these, and the last one from then on. */
async function startAnswering(...answers: readonly RequestListener[]) {
  const received: Received[] = [];
  const receiver = await startReceiver(async (request, response) => {
    const { url, headers } = request;
    received.push({ url, headers, body: JSON.parse(await text(request)) });
    (answers[received.length - 1] ?? answers.at(-1))?.(request, response);
  });
  return { receiver, received, url: `http://127.0.0.1:${receiver.port}` };
}

const answering =
  (status: number, body = ''): RequestListener =>
  (_, response) =>
    response.writeHead(status).end(body);

/** A workflow that posts, and goes on at the node `after`, or `failed` on the way `error`. */
const posts = (data: object, after: { type: string; data?: object }, edges: readonly string[] = []) =>
  runs.newWorkflow(
    graphWith(
      {
        trigger: manual,
        ask: { type: 'httpRequest', data },
        after,
        failed: { type: 'addTags', data: { tags: ['failed'] } },
      },
      ['trigger ask', 'ask after', ...edges],
    ),
  );

/** Starts a run for a new contact, and goes on until it has stored its request. */
async function begin(workflow: Parameters<typeof runs.start>[0], fields: object = {}) {
  const { _id: contactId } = await tenants.newContact({ firstName: 'Ada', ...fields });
  const runId = await runs.start(workflow, contactId, { event: { plan: 'gold' } });
  await runs.advance(runId);
  return { runId, contactId };
}

const told = async (runId: string) =>
  (await runs.stepRecords(runId)).map(({ nodeId, status, way, reason }) =>
    [nodeId, status, way, reason].filter(Boolean).join(' '),
  );

const tagsOf = async (contactId: string) =>
  (await arrange(product.call('read-contact', { token: rep.token, path: { id: contactId } }))).data.tags;

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
