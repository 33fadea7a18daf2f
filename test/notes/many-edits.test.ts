import { expect, test } from 'vitest';
import { setUpTenants } from '../harness/fixtures.ts';
import { arrange } from '../harness/tenants.ts';
import { countUnread, readEveryNotification } from '../notifications/client.ts';
import { notesClient, writtenNote } from './client.ts';

// Each edit that mentions somebody notifies once more: a note may have caused as many notifications as it mentions users.

const tenants = await setUpTenants();
const { product, admin } = tenants;
const rep = notesClient(product, tenants.rep);
const people = await Promise.all(Array.from({ length: 40 }, () => product.newColleague(admin)));

/** A note that mentions 40 users, one more with each edit. */
async function editedNote(): Promise<string> {
  const mentions = people.map(({ userId }) => userId);
  const { _id } = await writtenNote(tenants, tenants.rep, {});
  for (const index of mentions.keys()) {
    await arrange(rep.edit(_id, { mentions: mentions.slice(0, index + 1) }));
  }
  expect(await counts()).toEqual(Array(40).fill(1));
  return _id;
}

const counts = () => Promise.all(people.map((person) => countUnread(product, person)));

async function expectNoneLeft() {
  expect(await counts()).toEqual(Array(40).fill(0));
  const all = await Promise.all(people.map((person) => readEveryNotification(product, person)));
  expect(all.flat()).toEqual([]);
}

test('A note that mentions 40 users, one more with each edit, is deleted with what all of them were notified of', async () => {
  const id = await editedNote();
  const { status } = await rep.remove(id);
  expect(status).toBe(200);
  await expectNoneLeft();
});

test('An edit that takes 40 mentions out of a note, each of which came with another edit, takes what all of them were notified of', async () => {
  const id = await editedNote();
  const { status } = await rep.edit(id, { note: 'Nobody any more', mentions: [] });
  expect(status).toBe(200);
  await expectNoneLeft();
});
