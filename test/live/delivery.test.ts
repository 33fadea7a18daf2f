import { expect, test } from 'vitest';
import { hour, minute, after as plus, second } from '../../shared/kernel/time.ts';
import { changeUser } from '../auth/records.ts';
import type { Person } from '../harness/product.ts';
import { setUpLiveProduct } from './fixtures.ts';
import { workflowToggled } from './live-product.ts';

const live = await setUpLiveProduct();

async function notified(admin: Person, at?: Date): Promise<string> {
  const id = await live.happen(admin.organizationId, workflowToggled);
  await live.deliver([id], at);
  return id;
}

const idsReceived = (connectionId: string) => live.sockets.received(connectionId).map(({ id }) => id);

test('A connection receives the events of its own organization and of no other', async () => {
  const [admin, foreignAdmin] = await Promise.all([
    live.product.newOrganization(),
    live.product.newOrganization(),
  ]);
  const [own, foreign] = [
    await live.connect(admin.socketToken),
    await live.connect(foreignAdmin.socketToken),
  ];
  const id = await notified(admin);
  expect(idsReceived(own.id)).toEqual([id]);
  expect(idsReceived(foreign.id)).toEqual([]);
});

test('A connection does not get late what happened before it was opened: that comes in order, by resuming', async () => {
  const admin = await live.product.newOrganization();
  const known = await live.happen(admin.organizationId, workflowToggled);
  const missed = [
    await live.happen(admin.organizationId, workflowToggled),
    await live.happen(admin.organizationId, workflowToggled),
  ];
  const { id } = await live.connect(admin.socketToken);
  await live.deliver(missed);
  expect(idsReceived(id)).toEqual([]);
  await live.send(id, { action: 'resume', since: known });
  expect(idsReceived(id).sort()).toEqual(missed.sort());
});

test('A connection that is still opening is not taken for gone', async () => {
  const admin = await live.product.newOrganization();
  const { id } = await live.connect(admin.socketToken);
  live.sockets.behave(id, 'gone');
  await notified(admin);
  live.sockets.behave(id, 'delivered');
  const event = await notified(admin);
  expect(idsReceived(id)).toEqual([event]);
});

test('A connection that has ended receives nothing, and may end twice', async () => {
  const admin = await live.product.newOrganization();
  const { id } = await live.connect(admin.socketToken);
  expect(await live.disconnect(id)).toBe(200);
  expect(await live.disconnect(id)).toBe(200);
  await notified(admin);
  expect(live.sockets.attempts(id)).toBe(0);
});

test('A handshake without a token, with a forged, an access or an expired token is refused', async () => {
  const admin = await live.product.newOrganization();
  const late = plus(new Date(), 6 * minute);
  const [head, payload, signature = ''] = admin.socketToken.split('.');
  const forged = [head, payload, signature.split('').reverse().join('')].join('.');
  expect((await live.connect(undefined)).status).toBe(401);
  expect((await live.connect('')).status).toBe(401);
  expect((await live.connect(forged)).status).toBe(401);
  expect((await live.connect(admin.token)).status).toBe(401);
  expect((await live.connect(admin.socketToken, late)).status).toBe(401);
  expect((await live.connect(admin.socketToken)).status).toBe(200);
});

test('The handshake of a disabled user is refused, although the token is genuine', async () => {
  const admin = await live.product.newOrganization();
  const rep = await live.product.newColleague(admin);
  await changeUser(live.product, rep, { disabled: true });
  expect((await live.connect(rep.socketToken)).status).toBe(401);
});

test('A connection gets nothing after its session would have had to be refreshed, and is closed', async () => {
  const admin = await live.product.newOrganization();
  const { id } = await live.connect(admin.socketToken);
  await notified(admin, plus(new Date(), hour + second));
  expect(idsReceived(id)).toEqual([]);
  expect(live.sockets.closed).toContain(id);
});

test('A fresh socket token of the same user extends the trust', async () => {
  const admin = await live.product.newOrganization();
  const { id } = await live.connect(admin.socketToken);
  const later = plus(new Date(), 30 * minute);
  const refreshed = await live.product.call('refresh', {
    body: { refreshToken: admin.refreshToken },
    at: later,
  });
  const answer = await live.send(id, { action: 'authenticate', token: refreshed.body.socketToken }, later);
  expect(answer).toMatchObject({ event: 'authenticated', data: { expiresAt: expect.any(String) } });
  expect(Date.parse(String(answer?.data.expiresAt))).toBeGreaterThan(plus(new Date(), 80 * minute).getTime());
  const event = await notified(admin, plus(new Date(), 80 * minute));
  expect(idsReceived(id)).toEqual([event]);
});

test.each([
  ['no token', () => ({})],
  ['garbage', () => ({ token: 'garbage' })],
  ['an access token', (_: Person, own: Person) => ({ token: own.token })],
  ["a colleague's socket token", (colleague: Person) => ({ token: colleague.socketToken })],
])('Authenticating with %s returns an error and leaves the connection as it was', async (_, frame) => {
  const admin = await live.product.newOrganization();
  const rep = await live.product.newColleague(admin);
  const { id } = await live.connect(rep.socketToken);
  expect(await live.send(id, { action: 'authenticate', ...frame(admin, rep) })).toMatchObject({
    event: 'error',
  });
  // An event for the administrator must not reach the connection of the colleague.
  const event = await live.happen(admin.organizationId, {
    ...workflowToggled,
    audience: { kind: 'user', userId: admin.userId },
  });
  await live.deliver([event]);
  expect(idsReceived(id)).toEqual([]);
  const own = await notified(admin);
  expect(idsReceived(id)).toEqual([own]);
});

/** Late enough that a handshake has certainly ended. */
const lateEnough = () => plus(new Date(), minute);

test('When the events of an organization are late, its connections are told once to load everything again, and get what happens next', async () => {
  const soon = lateEnough();
  const admin = await live.product.newOrganization();
  const [one, other] = [await live.connect(admin.socketToken), await live.connect(admin.socketToken)];
  const received = (id: string) =>
    live.sockets.received(id).map(({ id, event }) => (event === 'resync_required' ? event : id));
  const happen = () => live.happen(admin.organizationId, workflowToggled, soon);
  const work = async (late: number) => {
    await live.handOver([await happen(), await happen()]);
    await live.work({ at: soon, sentAt: plus(soon, -late) });
  };
  await work(11 * second);
  expect([received(one.id), received(other.id)]).toEqual([['resync_required'], ['resync_required']]);
  // The rest of the backlog was written before they loaded everything.
  await work(9 * second);
  await work(15 * second);
  expect(received(one.id)).toEqual(['resync_required']);

  const next = await happen();
  await live.deliver([next], soon);
  expect([received(one.id), received(other.id)]).toEqual([
    ['resync_required', next],
    ['resync_required', next],
  ]);
});

test('A connection whose session ended loses it however late the event comes', async () => {
  const soon = lateEnough();
  const admin = await live.product.newOrganization();
  const { id } = await live.connect(admin.socketToken);
  const { sid } = JSON.parse(Buffer.from(admin.socketToken.split('.')[1] ?? '', 'base64url').toString());
  const ended = await live.happen(
    admin.organizationId,
    {
      event: 'sessions_ended',
      data: { sessionId: sid },
      audience: { kind: 'users', userIds: [admin.userId] },
    } as never,
    soon,
  );
  await live.handOver([ended]);
  await live.work({ at: soon, sentAt: plus(soon, -minute) });
  expect(live.sockets.closed).toContain(id);
});

test('Nobody of another organization is told anything of events that are late', async () => {
  const soon = lateEnough();
  const [admin, other] = [await live.product.newOrganization(), await live.product.newOrganization()];
  const { id } = await live.connect(other.socketToken);
  await live.connect(admin.socketToken);
  await live.handOver([await live.happen(admin.organizationId, workflowToggled, soon)]);
  await live.work({ at: soon, sentAt: plus(soon, -minute) });
  expect(live.sockets.received(id)).toEqual([]);
});
