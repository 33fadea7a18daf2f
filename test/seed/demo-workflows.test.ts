import { expect, test } from 'vitest';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { demoTests } from './demo.ts';

const tests = await demoTests();

interface Run {
  readonly _id: string;
  readonly contactId: string;
  readonly status: string;
  readonly reason?: string;
  readonly startedAt: string;
  readonly finishedAt?: string | null;
  readonly steps: readonly {
    nodeId: string;
    at: string;
    status: string;
    reason?: string;
    until?: string;
    messageId?: string;
  }[];
}

async function call(name: string, more: object) {
  const { token } = await tests.logIn('admin@example.com');
  const { status, body } = await tests.product.call(name, { token, ...more });
  expect(status, `${name} ${JSON.stringify(body)}`).toBe(200);
  return body.data;
}

const rowsOf = async () => (await tests.rows()) as { sk: string; data?: Record<string, unknown> }[];

const workflows = async (query = {}): Promise<{ _id: string; name: string }[]> =>
  (await call('list-workflows', { query })) as { _id: string; name: string }[];

const enabled = () => workflows({ enabled: 'true' });

const runsOf = async (id: string): Promise<Run[]> =>
  (await call('list-workflow-runs', { path: { id }, query: { limit: '100' } })) as Run[];

const foreignNumber = {
  severity: 'error',
  nodeId: 'text',
  message: 'from: "+15005550006" is not one of the active phone numbers of the owner of this workflow.',
};

test('The workflows of the demo that are on can run without a problem, but for the one whose runs failed: its check says why', async () => {
  const workflows = await enabled();
  expect(workflows.map(({ name }) => name).sort()).toEqual([
    'Follow up',
    'Missed call: text and task',
    'No answer in three days',
    'Opt-out: clean up',
    'Welcome new leads',
    'Won: application and note',
  ]);
  for (const { _id: id, name } of workflows) {
    const problems = name === 'Follow up' ? [foreignNumber] : [];
    expect({ name, ...(await call('check-workflow', { path: { id } })) }).toEqual({
      name,
      runnable: problems.length === 0,
      problems,
    });
  }
});

test('The workflows of the demo have runs in every status, with steps that passed, wait, were skipped and failed', async () => {
  const runs = (await Promise.all((await enabled()).map(({ _id }) => runsOf(_id)))).flat();
  expect(Object.keys(Object.groupBy(runs, ({ status }) => status)).sort()).toEqual([
    ...['cancelled', 'failed', 'finished', 'running', 'waiting'],
  ]);
  const steps = runs.flatMap((run) => run.steps);
  expect(Object.keys(Object.groupBy(steps, ({ status }) => status)).sort()).toEqual([
    ...['failed', 'passed', 'skipped', 'waiting'],
  ]);
  expect(steps.filter(({ reason }) => reason === 'opted_out')).not.toEqual([]);
  expect(runs.filter(({ status }) => status === 'finished').length).toBeGreaterThan(runs.length / 2);
});

test('When a contact of the demo opts out, another run is stopped, and a tag and the newsletter are removed', async () => {
  const named = async (name: string) => (await enabled()).find((one) => one.name === name)?._id ?? '';
  const [run, ...others] = await runsOf(await named('Opt-out: clean up'));
  expect(others).toEqual([]);
  expect(run?.steps.map(({ nodeId, status, reason }) => [nodeId, status, reason])).toEqual(
    ['out', 'stop', 'tags', 'newsletter', 'note'].map((nodeId) => [nodeId, 'passed', undefined]),
  );
  const stopped = (await runsOf(await named('No answer in three days'))).filter(
    ({ reason }) => reason === 'stopped_by_workflow',
  );
  expect(stopped.map(({ contactId, status }) => [contactId, status])).toEqual([
    [run?.contactId, 'cancelled'],
  ]);
  const contact = await call('read-contact', { path: { id: run?.contactId } });
  expect(contact).toMatchObject({ tags: ['vip'], customFields: { newsletter: false } });
});

test('What runs of the demo have sent was delivered, and nothing of it is sent again', async () => {
  const runs = (await Promise.all((await enabled()).map(({ _id }) => runsOf(_id)))).flat();
  const sent = new Set(runs.flatMap(({ steps }) => steps.flatMap(({ messageId }) => messageId ?? [])));
  expect(sent.size).toBeGreaterThan(3);
  const rows = await rowsOf();
  const messages = rows.filter(({ sk, data }) => sk.startsWith('MESSAGE#') && sent.has(String(data?._id)));
  expect(messages.map(({ data }) => data?.status)).toEqual(messages.map(() => 'delivered'));
  expect(messages).toHaveLength(sent.size);
  expect(rows.filter(({ sk }) => sk.startsWith('OUTGOING#'))).toEqual([]);
});

test('Only the run that runs waits for the host, and what waits has a time with its clock', async () => {
  const runs = (await Promise.all((await workflows()).map(({ _id }) => runsOf(_id)))).flat();
  const of = (status: string) => runs.filter((run) => run.status === status).map(({ _id }) => _id);
  const rows = await rowsOf();
  const ready = rows.filter(({ sk }) => sk.startsWith('READY#')).map(({ data }) => data?.runId);
  expect(ready).toEqual(of('running'));
  const due = rows.flatMap(({ data }) => (data?.kind === 'workflowRun' ? [String(data.id)] : []));
  expect(due.sort()).toEqual(of('waiting').sort());
});

test('The runs that examples name are there: one waits, one can be cancelled, one has failed', async () => {
  const statuses = await Promise.all(
    [demo.workflowRun, demo.spareWorkflowRun, demo.failedWorkflowRun].map(async (id) => {
      const { status, contactId } = (await call('read-workflow-run', { path: { id } })) as Run;
      return [status, contactId];
    }),
  );
  expect(statuses).toEqual([
    ['waiting', demo.hedy],
    ['waiting', demo.hedy],
    ['failed', demo.hedy],
  ]);
});

test('The runs of the demo are in the order of time: no step before its contact, or before the step or wait that precedes it', async () => {
  const rows = await rowsOf();
  const createdAt = new Map(
    rows
      .filter(({ sk }) => sk === 'CONTACT')
      .map(({ data }) => [String(data?._id), String(data?.createdAt)] as const),
  );
  const runs = (await Promise.all((await workflows()).map(({ _id }) => runsOf(_id)))).flat();
  const untimely = runs.flatMap(({ _id, contactId, startedAt, steps, finishedAt }) => {
    const times = [
      createdAt.get(contactId) ?? '',
      startedAt,
      ...steps.map(({ at }) => at),
      finishedAt ?? '~',
    ];
    return times.every((at, index) => index === 0 || at >= (times[index - 1] ?? '')) ? [] : [{ _id, times }];
  });
  expect(untimely).toEqual([]);
  expect(runs.every(({ contactId }) => createdAt.has(contactId))).toBe(true);
});

test('A run of the demo that failed does so when it is simulated', async () => {
  const { steps } = (await call('read-workflow-run', { path: { id: demo.failedWorkflowRun } })) as Run;
  const { path } = (await call('simulate-workflow', {
    path: { id: demo.followUpWorkflow },
    body: { topic: 'manual.started', contactId: demo.hedy },
  })) as { path: Run['steps'] };
  const told = (some: Run['steps']) => some.map(({ nodeId, status, reason }) => ({ nodeId, status, reason }));
  expect(steps.at(-1)?.status).toBe('failed');
  expect(told(path).at(-1)).toEqual(told(steps).at(-1));
});

test.each([
  ['sent', ['missed', 'texted', 'task']],
  ['scheduled', ['missed', 'texted', 'task']],
  ['skipped', ['missed', 'texted', 'text', 'task']],
])(
  'The workflow of the demo for missed calls texts only who gets no other text: one is %s',
  async (textOutcome, nodes) => {
    const { _id: id = '' } =
      (await enabled()).find(({ name }) => name === 'Missed call: text and task') ?? {};
    const { path } = (await call('simulate-workflow', {
      path: { id },
      body: { topic: 'call.missed', event: { textOutcome } },
    })) as { path: Run['steps'] };
    expect(path.map(({ nodeId }) => nodeId)).toEqual(nodes);
  },
);
