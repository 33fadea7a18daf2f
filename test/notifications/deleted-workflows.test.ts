import { expect, test } from 'vitest';
import { workflowKey } from '../../functions/workflows/model/definition/workflow.ts';
import { eventAction } from '../../shared/events/outbox.ts';
import { inTurns, interleaved } from '../calls/interleaved.ts';
import { readEvents } from '../harness/events.ts';
import { setUpFaultyTable, setUpTenants } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { tableStream } from '../harness/table-stream.ts';
import { arrange, newPhoneNumber } from '../harness/tenants.ts';
import { countUnread, markRead, readEveryNotification } from './client.ts';
import { notifierIn } from './notifier.ts';

const { product, admin } = await setUpTenants();
const table = setUpFaultyTable();
const stream = await tableStream(product);

/** What a user has been notified of, and how much of it is said to be unread. */
const heardBy = async (person: Person) => ({
  types: (await readEveryNotification(product, person)).map(({ type }) => type),
  unread: await countUnread(product, person),
});

/** A workflow that has been enabled, and whose failed runs its owner is told of. */
async function newWorkflow(owner: Person) {
  const position = { x: 0, y: 0 };
  const body = {
    name: `Workflow ${newPhoneNumber()}`,
    enabled: true,
    nodes: [{ id: 'start', type: 'trigger', position, data: { event: 'manual.started' } }],
    edges: [],
  };
  const { data } = await arrange(product.call('create-workflow', { token: owner.token, body }));
  const { _id: workflowId, name, updatedAt } = data;
  const path = { id: workflowId };
  return {
    id: workflowId as string,
    async fail() {
      const { table: own, moment } = product.tableOf(owner.organizationId);
      const told = { workflowId, userId: owner.userId, change: 'updated', name, enabled: true } as const;
      const cause = workflowKey(workflowId);
      const notify = { type: 'workflow_failed', to: [owner.userId], title: name, cause } as const;
      const audience = { kind: 'user', userId: owner.userId } as const;
      const event = { event: 'workflow_updated', data: { ...told, updatedAt }, audience, notify } as const;
      await own.commit([eventAction(own, event, moment.newId(), moment.now)]);
    },
    delete: () => arrange(product.call('delete-workflow', { token: owner.token, path })),
  };
}

test('The notifications that runs of a workflow have failed are deleted with the workflow, read or not', async () => {
  const owner = await product.newColleague(admin);
  const [deleted, kept] = [await newWorkflow(owner), await newWorkflow(owner)];
  for (const workflow of [deleted, deleted, kept]) {
    await workflow.fail();
    await stream.settle();
  }
  const [, second, first] = await readEveryNotification(product, owner);
  await arrange(markRead(product, owner, first?._id ?? ''));
  expect(await countUnread(product, owner)).toBe(2);

  await deleted.delete();
  await stream.settle();

  expect(await heardBy(owner)).toEqual({ types: ['workflow_failed'], unread: 1 });
  const told = (await readEvents(product, admin.organizationId)).filter(
    ({ event }) => event === 'notification_deleted',
  );
  const audience = { kind: 'users', userIds: [owner.userId] };
  expect(
    told.toSorted((event, other) => Number(event.data.isRead) - Number(other.data.isRead)),
  ).toMatchObject([
    { data: { notificationId: second?._id, isRead: false }, audience },
    { data: { notificationId: first?._id, isRead: true }, audience },
  ]);
});

test('Of a workflow that was deleted before the stream told of its failed runs nobody is notified', async () => {
  const owner = await product.newColleague(admin);
  const workflow = await newWorkflow(owner);
  await workflow.fail();
  await workflow.delete();
  await stream.settle();
  expect(await heardBy(owner)).toEqual({ types: [], unread: 0 });
});

test('Of a workflow that is deleted while its failed runs are told of no notification is left, in 12 interleavings', async () => {
  const owner = await product.newColleague(admin);
  const notifier = notifierIn(product, admin.organizationId);
  const told = new Set<boolean>();
  for (let requests = 2; requests < 14; requests += 1) {
    const workflow = await newWorkflow(owner);
    await stream.settle();
    await notifier.take();
    await workflow.fail();
    // So many requests of the one, then all of the other, then the rest.
    await interleaved(table, inTurns(0, requests, 10_000), [
      () => notifier.take(),
      async () => {
        await workflow.delete();
        await stream.settle();
      },
    ]);
    const events = await readEvents(product, admin.organizationId);
    const isOfThis = (data: Record<string, unknown>) => data.workflowId === workflow.id;
    told.add(events.some(({ event, data }) => event === 'notification_created' && isOfThis(data)));
    expect(await heardBy(owner)).toEqual({ types: [], unread: 0 });
  }
  // Somebody was told before the deletion, or nobody at all.
  expect([...told].sort()).toEqual([false, true]);
});
