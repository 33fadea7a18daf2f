import { expect, test } from 'vitest';
import type { NewEvent } from '../../shared/events/outbox.ts';
import { minute, after as plus } from '../../shared/kernel/time.ts';
import { addDepartment } from '../auth/records.ts';
import { setUpFaultyTable } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { arrange } from '../harness/tenants.ts';
import { setUpLiveProduct } from './fixtures.ts';
import { workflowToggled } from './live-product.ts';

const live = await setUpLiveProduct();
const table = setUpFaultyTable();

/** Late enough that no event can have happened before a connection that is open now. */
const soon = () => plus(new Date(), minute);

async function delivered(
  { organizationId }: Person,
  event: NewEvent = workflowToggled,
  at = soon(),
): Promise<string> {
  const id = await live.happen(organizationId, event, at);
  await live.deliver([id], at);
  return id;
}

const about = (...people: Person[]): NewEvent => ({
  ...workflowToggled,
  audience: { kind: 'record', people: people.map(({ userId }) => userId) },
});

const received = (connectionId: string) => live.sockets.received(connectionId).map(({ id }) => id);

async function change(admin: Person, person: Person, body: Record<string, unknown>): Promise<void> {
  await arrange(live.product.call('update-user', { token: admin.token, path: { id: person.userId }, body }));
}

test('Events of an organization with nobody online cost one read for all of a batch', async () => {
  const admin = await live.product.newOrganization();
  const ids = [];
  for (let count = 0; count < 10; count += 1) {
    ids.push(await live.happen(admin.organizationId, workflowToggled));
  }
  await live.deliver(ids, soon());
  expect(live.consumed()).toMatchObject({ requests: 1, writeUnits: 0 });
  expect(live.consumed().readUnits).toBeLessThanOrEqual(1);
});

test('An event for connected users reads who is connected, their roles and departments, and the event', async () => {
  const admin = await live.product.newOrganization();
  const { id } = await live.connect(admin.socketToken);
  const event = await delivered(admin);
  expect(live.consumed()).toMatchObject({ requests: 3, roundTrips: 2 });
  expect(received(id)).toEqual([event]);
});

test('An event does not read what happened before connections that have been open for long', async () => {
  const admin = await live.product.newOrganization();
  await live.happenOften(
    admin.organizationId,
    workflowToggled,
    Array.from({ length: 100 }, (_, index) => plus(new Date(), -index)),
  );
  const connections = await Promise.all(Array.from({ length: 10 }, () => live.connect(admin.socketToken)));
  const event = await delivered(admin);
  expect(live.consumed().readUnits).toBeLessThanOrEqual(4);
  expect(connections.map(({ id }) => received(id))).toEqual(connections.map(() => [event]));
});

test("An event for one user alone reads that user's connections and the endpoints, however many others there are", async () => {
  const admin = await live.product.newOrganization();
  const rep = await live.product.newColleague(admin);
  await Promise.all(Array.from({ length: 60 }, () => live.connect(admin.socketToken)));
  const own = await live.connect(rep.socketToken);
  const event = await delivered(admin, {
    ...workflowToggled,
    audience: { kind: 'user', userId: rep.userId },
  });
  expect(received(own.id)).toEqual([event]);
  expect(live.consumed()).toMatchObject({ requests: 4 });
  expect(live.consumed().readUnits).toBeLessThanOrEqual(3.5);
});

test('An event for one user alone is not delivered once that user is disabled', async () => {
  const admin = await live.product.newOrganization();
  const rep = await live.product.newColleague(admin);
  const { id } = await live.connect(rep.socketToken);
  await change(admin, rep, { disabled: true });
  await delivered(admin, { ...workflowToggled, audience: { kind: 'user', userId: rep.userId } });
  expect(received(id)).toEqual([]);
  expect(live.sockets.closed).toContain(id);
});

test('Whoever is demoted, leaves a department or is disabled gets nothing of what they may not see any more, from the next event on', async () => {
  const admin = await live.product.newOrganization();
  const department = await addDepartment(live.product, admin.organizationId);
  const head = await live.product.newColleague(admin, 'DEPARTMENT_HEAD', { departmentIds: [department] });
  const rep = await live.product.newColleague(admin, 'SALES_REP', { departmentIds: [department] });
  const second = await live.product.newColleague(admin, 'ADMIN');
  const [ofHead, ofRep, ofSecond] = await Promise.all(
    [head, rep, second].map(({ socketToken }) => live.connect(socketToken)),
  );
  const seen = await delivered(admin, about(rep));
  expect([ofHead, ofRep, ofSecond].map((one) => received(one?.id ?? ''))).toEqual([[seen], [seen], [seen]]);

  await change(admin, head, { departmentIds: [] });
  await change(admin, second, { accessRole: 'SALES_REP' });
  await delivered(admin, about(rep));
  expect(received(ofHead?.id ?? '')).toEqual([seen]);
  expect(received(ofSecond?.id ?? '')).toEqual([seen]);

  await change(admin, rep, { disabled: true });
  const before = received(ofRep?.id ?? '');
  await delivered(admin, about(rep));
  expect(received(ofRep?.id ?? '')).toEqual(before);
  expect(live.sockets.closed).toContain(ofRep?.id);
});

test('Whoever has just registered gets events at once, and the head of their department those of their records', async () => {
  const admin = await live.product.newOrganization();
  const department = await addDepartment(live.product, admin.organizationId);
  const head = await live.product.newColleague(admin, 'DEPARTMENT_HEAD', { departmentIds: [department] });
  const ofHead = await live.connect(head.socketToken);
  const first = await delivered(admin);
  const [rep, member] = [
    await live.product.newColleague(admin),
    await live.product.newColleague(admin, 'SALES_REP', { departmentIds: [department] }),
  ];
  const ofRep = await live.connect(rep.socketToken);
  const own = await delivered(admin, about(rep));
  const ofMember = await delivered(admin, about(member));
  expect(received(ofRep.id)).toEqual([own]);
  expect(received(ofHead.id)).toEqual([first, ofMember]);
});

/** How the log of events has been read since the tries were forgotten last. */
function readsOfEvents(): { from: string; isConsistent: boolean }[] {
  return table.tries('QueryCommand').flatMap((input) => {
    const values = input.ExpressionAttributeValues as Record<string, { S: string } | undefined>;
    const isOfEvents = values[':pk']?.S.includes('#EVENTS#');
    return isOfEvents
      ? [{ from: values[':from']?.S ?? '', isConsistent: input.ConsistentRead === true }]
      : [];
  });
}

test('Connecting again costs no strongly consistent read of the events, and resuming only one of the last seconds', async () => {
  const admin = await live.product.newOrganization();
  const now = new Date();
  const last = await live.happen(admin.organizationId, workflowToggled, plus(now, -minute));
  table.clear();
  const { id } = await live.connect(admin.socketToken, now);
  expect(readsOfEvents().length).toBeGreaterThan(0);
  expect(readsOfEvents().filter(({ isConsistent }) => isConsistent)).toEqual([]);

  table.clear();
  await live.send(id, { action: 'resume', since: last }, now);
  const reads = readsOfEvents();
  const older = reads.filter(({ isConsistent }) => !isConsistent);
  const newest = reads.filter(({ isConsistent }) => isConsistent);
  expect(older.length).toBeGreaterThan(0);
  expect(newest.length).toBeGreaterThan(0);
  expect(newest.every(({ from }) => older.every((one) => one.from < from))).toBe(true);
});

test('Resuming repeats nothing and leaves nothing out where the two reads meet', async () => {
  const admin = await live.product.newOrganization();
  const now = new Date();
  const last = await live.happen(admin.organizationId, workflowToggled, plus(now, -minute));
  const missed: string[] = [];
  for (const milliseconds of [12_000, 11_002, 11_001, 11_000, 10_999, 10_998, 10_000, 1]) {
    missed.push(await live.happen(admin.organizationId, workflowToggled, plus(now, -milliseconds)));
  }
  const { id } = await live.connect(admin.socketToken, now);
  expect(await live.send(id, { action: 'resume', since: last }, now)).toMatchObject({ event: 'resumed' });
  expect(received(id)).toEqual(missed);
});
