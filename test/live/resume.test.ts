import { ApiGatewayManagementApiClient } from '@aws-sdk/client-apigatewaymanagementapi';
import { mockClient } from 'aws-sdk-client-mock';
import { ulid } from 'ulid';
import { expect, onTestFinished, test } from 'vitest';
import { resumeConnection } from '../../functions/live/model/resume-connection.ts';
import resume from '../../functions/live/resume.ts';
import { eventAction, type NewEvent } from '../../shared/events/outbox.ts';
import type { Ports } from '../../shared/kernel/operation.ts';
import { newInvocation, systemRuntime } from '../../shared/kernel/serve/invocation.ts';
import { day, hour, minute, after as plus, second } from '../../shared/kernel/time.ts';
import { readBudget } from '../../shared/ports/rate-limits.ts';
import { provideSockets } from '../../shared/ports/sockets.ts';
import { changeUser } from '../auth/records.ts';
import type { Person } from '../harness/product.ts';
import { startOfHour } from '../harness/start-of-hour.ts';
import { setUpLiveProduct } from './fixtures.ts';
import { workflowToggled } from './live-product.ts';

let admin: Person;
let rep: Person;
const live = await setUpLiveProduct();

const now = new Date();

/** A new organization, in which things happened this long ago; the ids, in the same order. */
async function past(...millisecondsAgo: number[]): Promise<string[]> {
  admin = await live.product.newOrganization();
  rep = await live.product.newColleague(admin);
  const ids: string[] = [];
  for (const milliseconds of millisecondsAgo) {
    ids.push(await live.happen(admin.organizationId, workflowToggled, plus(now, -milliseconds)));
  }
  return ids;
}

async function resumed(since: unknown, person = admin, at?: Date) {
  const { id } = await live.connect(person.socketToken);
  const answer = await live.send(id, { action: 'resume', since }, at);
  return { answer: answer?.event, ids: live.sockets.received(id).map((frame) => frame.id), id };
}

test('Resuming replays what was missed in order, across hours, and then says so', async () => {
  const [, , last, ...missed] = await past(
    23 * hour,
    5 * hour,
    3 * hour,
    2 * hour,
    61 * minute,
    20 * second,
    0,
  );
  expect(await resumed(last)).toMatchObject({ answer: 'resumed', ids: missed });
});

test('Resuming at the end of an hour replays what processes whose clocks are ahead have emitted in the next', async () => {
  const turn = startOfHour(now);
  const ago = now.getTime() - turn.getTime();
  const [last, missed] = await past(ago + minute, ago - second / 2);
  expect(await resumed(last, admin, plus(turn, -1))).toMatchObject({ answer: 'resumed', ids: [missed] });
});

test('Resuming begins with an event that happened in the hour after its invocation had begun as with any other', async () => {
  const turn = startOfHour(now);
  const [missed] = await past(now.getTime() - turn.getTime() - 2 * second);
  const { table } = live.product.tableOf(admin.organizationId);
  const last = ulid(turn.getTime() - second);
  await table.commit([eventAction(table, workflowToggled, last, plus(turn, second))]);
  expect(await resumed(last)).toMatchObject({ answer: 'resumed', ids: [missed] });
});

test('Resuming says at once that nothing was missed', async () => {
  const [last] = await past(minute);
  expect(await resumed(last)).toMatchObject({ answer: 'resumed', ids: [] });
});

test('Resuming replays also what happened within seconds before, since it may have been committed later', async () => {
  const [, slow, last, missed] = await past(2 * minute, 64 * second, minute, second);
  expect(await resumed(last)).toMatchObject({ answer: 'resumed', ids: [slow, missed] });
});

test('Resuming replays only what the user may see', async () => {
  const [last] = await past(minute);
  const at = plus(now, -second);
  const people = (userId: string): NewEvent => ({
    ...workflowToggled,
    audience: { kind: 'record', people: [userId] },
  });
  await live.happen(admin.organizationId, people(admin.userId), at);
  const own = await live.happen(admin.organizationId, people(rep.userId), plus(at, 1));
  await live.happen(
    admin.organizationId,
    { ...workflowToggled, audience: { kind: 'user', userId: admin.userId } },
    plus(at, 2),
  );
  expect(await resumed(last, rep)).toMatchObject({ answer: 'resumed', ids: [own] });
});

test.each([
  ['nothing', undefined],
  ['a number', 12],
  ['what is not an id', 'yesterday'],
  ['an id that reaches for another key', 'EVENT#01ARZ3NDEKTSV4RRFFQ69G5FAV'],
  ['the id of nothing that ever happened', '01ARZ3NDEKTSV4RRFFQ69G5FAV'],
  ['the highest id', '7ZZZZZZZZZZZZZZZZZZZZZZZZZ'],
])('Resuming asks for a new start when since is %s', async (_, since) => {
  await past(minute);
  expect(await resumed(since)).toMatchObject({ answer: 'resync_required', ids: [] });
});

test('Resuming asks for a new start when the last event is more than three days old', async () => {
  const [last] = await past(3 * day + minute, minute);
  expect(await resumed(last)).toMatchObject({ answer: 'resync_required', ids: [] });
});

test('Resuming asks for a new start when the last event is one of another organization', async () => {
  const [foreign] = await past(minute);
  await past(minute, second);
  expect(await resumed(foreign)).toMatchObject({ answer: 'resync_required', ids: [] });
});

test('Resuming asks for a new start when more than 5,000 events were missed', async () => {
  const [last] = await past(minute);
  const moments = Array.from({ length: 5_001 }, (_, index) => plus(now, index - 50_000));
  await live.happenOften(admin.organizationId, workflowToggled, moments);
  const { answer, ids } = await resumed(last);
  expect(answer).toBe('resync_required');
  expect(ids).toHaveLength(5_000);
});

test('A replay that takes too long for one invocation goes on in the next, without a frame twice or too few', async () => {
  const [last = '', ...missed] = await past(2 * hour, hour, 3 * minute, 2 * minute, 20 * second, second);
  const { id } = await live.connect(admin.socketToken);
  const { sockets, product } = live;
  const { ports, clock } = newInvocation(systemRuntime, { ...product.providers, sockets: () => sockets });
  const uses = { organizations: 'read', identity: 'read', sockets: 'post', rateLimits: 'limit' } as const;
  const given = { ...(ports(uses) as Ports<typeof uses>), ...clock, queue: product.queues.liveEvents };
  const resumption = { connectionId: id, since: last, until: AbortSignal.abort() };
  expect(await resumeConnection(resumption, given)).toBeUndefined();
  expect(sockets.received(id).map((frame) => frame.id)).toEqual(missed.slice(0, 1));

  await live.work();
  expect(sockets.received(id)).toMatchObject([
    ...missed.map((event) => ({ id: event })),
    { event: 'resumed', data: { since: last } },
  ]);
});

test.each<[string, () => Promise<unknown>, Date?]>([
  ['a connection that is no longer trusted', async () => undefined, plus(now, 2 * hour)],
  ['one of a user who has been disabled meanwhile', () => changeUser(live.product, rep, { disabled: true })],
  [
    'one of a session that has been ended meanwhile',
    () => changeUser(live.product, rep, { sessionsNotBefore: plus(new Date(), minute).toISOString() }),
  ],
])('Resuming over %s returns an error, and sends nothing', async (_, change, at) => {
  const [last] = await past(minute, second);
  const { id } = await live.connect(rep.socketToken);
  await change();
  expect(await live.send(id, { action: 'resume', since: last }, at)).toMatchObject({ event: 'error' });
  expect(live.sockets.attempts(id)).toBe(0);
});

test('Resuming is refused to a user who has resumed very much, and to nobody else', async () => {
  const [last] = await past(minute);
  const { ports } = newInvocation({ ...systemRuntime, clock: () => now }, live.product.providers);
  const { rateLimits } = ports({ rateLimits: 'limit' }) as Ports<{ rateLimits: 'limit' }>;
  rateLimits.chargeUnits(2 * readBudget.atOnce);
  await rateLimits.limitReads(admin.userId, async () => undefined);
  const { id } = await live.connect(admin.socketToken);
  expect(await live.send(id, { action: 'resume', since: last }, now)).toMatchObject({
    event: 'error',
    data: { message: 'Too many events were replayed in a short time. Resume again in 500 seconds.' },
  });
  expect(await resumed(last, rep, now)).toMatchObject({ answer: 'resumed' });
});

test('Resuming ends with the time of its request: no frame is sent that would come late, among newer ones', async () => {
  const [last] = await past(minute, ...Array(6).fill(second));
  const { id: connectionId } = await live.connect(admin.socketToken);
  const gateway = mockClient(ApiGatewayManagementApiClient).resolves({});
  onTestFinished(() => gateway.restore());
  const sockets = provideSockets({ SOCKET_ENDPOINT: 'https://gateway.local' });
  const deadline = { left: () => (gateway.calls().length < 2 ? minute : -1) };
  const { ports, clock } = newInvocation(systemRuntime, { ...live.product.providers, sockets }, deadline);
  const frame = { action: 'resume', since: last };
  const running = resume.run({ connectionId, token: undefined, frame }, { ...ports(resume.uses), ...clock });
  await expect(running).rejects.toMatchObject({ status: 503 });
  expect(gateway.calls()).toHaveLength(2);
});
