import { expect, test } from 'vitest';
import { after, minute } from '../../shared/kernel/time.ts';
import { eventReader } from '../harness/events.ts';
import { setUpWorld } from '../harness/fixtures.ts';
import { operationsWithRows, senderOf } from './operations.ts';

/** A change that is there already changes nothing: whoever sends it again is told so, and nobody else is. */

const world = await setUpWorld();
const { product, admin, rep } = world;
const newEvents = eventReader(product, admin.organizationId);

/** What ends other sessions each time, and what is written without being read. */
const alwaysWriting = ['change-password', 'update-notification-preferences'];

const changing = (await operationsWithRows()).filter(
  ({ name, operation }) => /^(PUT|PATCH) /.test(operation.route) && !alwaysWriting.includes(name),
);

test.each(changing)(
  '$name changes nothing when it is repeated: it writes nothing, keeps updatedAt, emits no event, and says so',
  async ({ name, row }) => {
    const request = { ...senderOf(world, row), ...(await row.request(world, rep)) };
    const first = await product.call(name, request);
    expect(first.status).toBe(200);
    await newEvents();
    const again = await product.call(name, { ...request, at: after(new Date(), 2 * minute) });
    expect(again).toMatchObject({ status: 200, consumed: { writeUnits: 0 } });
    expect(again.body.data).toEqual(first.body.data);
    expect(await newEvents()).toEqual([]);
    if (first.body.message !== undefined) {
      expect(again.body.message).toMatch(/^No changes|already|marked as read$/);
    }
  },
);
