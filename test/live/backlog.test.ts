import { expect, test } from 'vitest';
import { after, minute, second } from '../../shared/kernel/time.ts';
import { setUpLiveProduct } from './fixtures.ts';
import { workflowToggled } from './live-product.ts';

const live = await setUpLiveProduct();

/** Late enough that a handshake has certainly ended. */
const soon = after(new Date(), minute);

test('When the events of an organization are late, its connections are told once to load everything again, and get what happens next', async () => {
  const admin = await live.product.newOrganization();
  const [one, other] = [await live.connect(admin.socketToken), await live.connect(admin.socketToken)];
  const received = (id: string) =>
    live.sockets.received(id).map(({ id, event }) => (event === 'resync_required' ? event : id));
  const happen = () => live.happen(admin.organizationId, workflowToggled, soon);
  const work = async (late: number) => {
    await live.handOver([await happen(), await happen()]);
    await live.work({ at: soon, sentAt: after(soon, -late) });
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
  await live.work({ at: soon, sentAt: after(soon, -minute) });
  expect(live.sockets.closed).toContain(id);
});

test('Nobody of another organization is told anything of it', async () => {
  const [admin, other] = [await live.product.newOrganization(), await live.product.newOrganization()];
  const { id } = await live.connect(other.socketToken);
  await live.connect(admin.socketToken);
  await live.handOver([await live.happen(admin.organizationId, workflowToggled, soon)]);
  await live.work({ at: soon, sentAt: after(soon, -minute) });
  expect(live.sockets.received(id)).toEqual([]);
});
