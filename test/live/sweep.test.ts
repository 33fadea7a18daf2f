import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { expect, test } from 'vitest';
import continueSweep from '../../functions/contacts/continue-sweep.ts';
import { sweepContact, sweepRestKey } from '../../functions/contacts/model/erasure/sweep-contact.ts';
import { contactKey, contactRange } from '../../shared/contacts/contact.ts';
import { snapshotEntryRange } from '../../shared/conversations/snapshot.ts';
import { childId } from '../../shared/kernel/child-id.ts';
import { systemRuntime } from '../../shared/kernel/serve/invocation.ts';
import { serveStream } from '../../shared/kernel/serve/serve-stream.ts';
import { noteKey } from '../../shared/notes/note.ts';
import { joined } from '../../shared/table/key.ts';
import { clockClient } from '../harness/clock.ts';
import { setUpFaultyTable } from '../harness/fixtures.ts';
import { arrange } from '../harness/tenants.ts';
import { setUpLiveProduct } from './fixtures.ts';

const live = await setUpLiveProduct();
const faulty = setUpFaultyTable();

/** A contact that owns more than one transaction can delete. */
async function contactWithNotes(): Promise<{
  organizationId: string;
  contactId: string;
  owned(): Promise<number>;
  remove(): Promise<void>;
}> {
  const { organizationId, token } = await live.product.newOrganization();
  const { body } = await live.product.call('create-contact', { token, body: { firstName: 'Ada' } });
  const contactId: string = body.data._id;
  const { table, moment } = live.product.tableOf(organizationId);
  const note = { _id: '', note: 'A note' } as never;
  const actions = Array.from({ length: 60 }, () =>
    table.put(noteKey(childId(contactId, moment.newId())), note),
  );
  await table.commit(actions);
  /** Its record goes, as with a deletion. */
  const remove = () => table.commit([table.delete(contactKey(contactId))]);
  const owned = async () => (await table.list(contactRange(contactId))).length;
  return { organizationId, contactId, owned, remove };
}

test('What a deleted contact owned is deleted, however often the stream delivers its deletion', async () => {
  const [deleted, other] = [await contactWithNotes(), await contactWithNotes()];
  const { organizationId, contactId, owned } = deleted;
  await deleted.remove();
  const partition = ['ORG', organizationId, 'CONTACT', contactId];
  await live.removed(partition, ['CONTACT']);
  await live.removed(partition, ['CONTACT']);
  expect(await owned()).toBe(0);
  expect(await other.owned()).toBe(61);
});

/** An organization, calls of its ADMIN, and what the stream tells of a deleted contact. */
async function newOrganization() {
  const { organizationId, userId, token } = await live.product.newOrganization();
  const call = async (name: string, more: object) =>
    (await arrange(live.product.call(name, { token, ...more }))).data;
  const sweep = (contactId: string) =>
    live.removed(['ORG', organizationId, 'CONTACT', contactId], ['CONTACT']);
  return { userId, table: live.product.tableOf(organizationId).table, call, sweep };
}

test('With a deleted contact its reminders and training snapshots leave the lists of who made them', async () => {
  const { userId, table, call, sweep } = await newOrganization();
  const phoneNumbers = [{ value: '+99912345670' }];
  const [deleted, kept] = [
    await call('create-contact', { body: { firstName: 'Ada', phoneNumbers } }),
    await call('create-contact', { body: { firstName: 'Grace' } }),
  ];
  const remind = ({ _id: contactId }: { _id: string }) =>
    call('create-reminder', { body: { contactId, note: 'Call back', remindAt: '2099-01-15' } });
  await Promise.all([remind(deleted), remind(deleted), remind(kept)]);
  const contactId = deleted._id;
  const { conversationId } = await call('send-message', { body: { contactId, content: 'Hello' } });
  await call('create-training-snapshot', { body: { contactId, conversationId, quality: 'good' } });
  const snapshots = async () => (await table.list(snapshotEntryRange(userId))).length;
  expect(await snapshots()).toBe(1);
  await call('delete-contact', { path: { id: contactId } });
  await sweep(contactId);
  expect(await call('list-reminders', {})).toMatchObject([{ contactId: kept._id }]);
  expect(await snapshots()).toBe(0);
});

test('A sweep that is interrupted leaves nothing behind when it is run again', async () => {
  const { table, call, sweep } = await newOrganization();
  const { _id: contactId } = await call('create-contact', { body: { firstName: 'Ada' } });
  await call('create-reminder', { body: { contactId, note: 'Call back', remindAt: '2099-01-15' } });
  await call('delete-contact', { path: { id: contactId } });
  faulty.next(
    'BatchWriteItemCommand',
    (next) => next(),
    async () => {
      throw new Error('The function was ended');
    },
  );
  await expect(sweep(contactId)).rejects.toThrow('sweep-deleted-contact');
  await sweep(contactId);
  expect(await table.list(contactRange(contactId))).toEqual([]);
  expect(await call('list-reminders', {})).toEqual([]);
});

test('Of a deleted contact that owns more than a batch of the stream has time for, a later batch deletes the rest', async () => {
  const { organizationId, contactId, owned, remove } = await contactWithNotes();
  await remove();
  const { table, moment } = live.product.tableOf(organizationId);
  const { platform } = clockClient(live.product);
  await sweepContact({ table, platform }, contactId, { now: new Date(), newId: moment.newId }, () => true);
  const { partition, sort } = sweepRestKey(contactId);
  expect(await table.read({ partition, sort })).toBeDefined();
  expect(await owned()).toBe(60 - 25 + 1);

  const Keys = { pk: { S: joined(['ORG', organizationId, ...partition]) }, sk: { S: joined(sort) } };
  const continuing = { name: 'continue-sweep', operation: continueSweep, providers: live.product.providers };
  await serveStream([continuing], systemRuntime)({ Records: [{ eventName: 'INSERT', dynamodb: { Keys } }] });
  expect(await owned()).toBe(0);
});

interface Deletion {
  readonly DeleteRequest: { readonly Key: Record<string, AttributeValue> };
}

test('Rows that the table leaves unprocessed in a sweep are deleted with the next try', async () => {
  const { organizationId, contactId, owned, remove } = await contactWithNotes();
  await remove();
  faulty.clear();
  faulty.next('BatchWriteItemCommand', async (_, input) => {
    const [[name, deletions]] = Object.entries(input?.RequestItems ?? {}) as [[string, Deletion[]]];
    const left = deletions.map(({ DeleteRequest: { Key } }) => ({ DeleteRequest: { Key: unmarshall(Key) } }));
    return { output: { UnprocessedItems: { [name]: left }, $metadata: {} }, response: {} };
  });
  await live.removed(['ORG', organizationId, 'CONTACT', contactId], ['CONTACT']);
  expect(await owned()).toBe(0);
  expect(faulty.tries('BatchWriteItemCommand')).toHaveLength(1 + Math.ceil(60 / 25));
});

test('The removal of anything but a contact sweeps nothing away', async () => {
  const { organizationId, contactId, owned } = await contactWithNotes();
  await live.removed(['ORG', organizationId, 'CONTACT', contactId], ['CONTACTED', 'x']);
  await live.removed(['ORG', organizationId, 'CONTACT', contactId, 'x'], ['CONTACT']);
  await live.removed(['IDENTITY', organizationId, 'CONTACT', contactId], ['CONTACT']);
  expect(await owned()).toBe(61);
});
