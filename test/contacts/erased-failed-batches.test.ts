import { afterEach, expect, test } from 'vitest';
import { sweepRestKey } from '../../functions/contacts/model/erasure/sweep-contact.ts';
import { after, hour } from '../../shared/kernel/time.ts';
import { joined } from '../../shared/table/key.ts';
import { setUpFaultyTable, setUpTenants } from '../harness/fixtures.ts';
import { tableStream, unzipped } from '../harness/table-stream.ts';
import { failedWorkIn } from './failed-work.ts';

const tenants = await setUpTenants();
const { product } = tenants;
const faults = setUpFaultyTable();
const stream = await tableStream(product);
const { clear, deferredAbout, look, newFilledContact, newNumbered, remove } = await failedWorkIn(
  tenants,
  stream,
  faults,
);
const { givenUp } = product;
afterEach(clear);

/** The text of a failed batch, as Lambda writes it. */
const batchOf = (Records: readonly object[]) =>
  JSON.stringify({ version: '1.0', payload: JSON.stringify({ Records }) });

/** The text of a failed batch with all compressed values uncompressed. */
function legible(text: string): string {
  const reviver = (name: string, value: unknown) =>
    name === 'B' ? unzipped(Buffer.from(String(value), 'base64')) : value;
  return JSON.stringify(JSON.parse((JSON.parse(text) as { payload: string }).payload, reviver));
}

test('Failed batches of the stream lose all data of a deleted contact, except names of uploads of the last day, and keep what is to be done', async () => {
  let digits = '';
  const records = await stream.recordsOf(async () => {
    const { contactId, ...canaries } = await newFilledContact();
    ({ digits } = canaries);
    await remove(contactId);
  });
  const ofOther = await stream.recordsOf(newNumbered);
  givenUp.failedBatches.set('deleted', batchOf(records));
  givenUp.failedBatches.set('other', batchOf(ofOther));
  givenUp.failedBatches.set('both', batchOf([...records, ...ofOther]));
  const other = batchOf(ofOther);
  const told = () => records.filter((record) => legible(batchOf([record])).includes(digits));
  expect(told().length).toBeGreaterThan(100);

  const left = (key: string) => JSON.parse(legible(givenUp.failedBatches.get(key) ?? batchOf([]))).Records;
  /** Names of files, which end with their uploads. */
  const endsByItself = ({ dynamodb }: { dynamodb: { Keys: { sk: { S: string } } } }) =>
    /^OBJECTS#/.test(dynamodb.Keys.sk.S);
  expect(await look()).toMatchObject({ batches: 3, shortened: 2 });
  const still = left('deleted').filter((record: object) => JSON.stringify(record).includes(digits));
  expect(still.length).toBeGreaterThan(0);
  expect(still.filter((record: never) => !endsByItself(record))).toEqual([]);

  expect(await look(after(new Date(), 72 * hour))).toMatchObject({ batches: 3, shortened: 2 });
  expect(JSON.stringify(left('deleted'))).not.toContain(digits);
  expect(JSON.stringify(left('both'))).not.toContain(digits);
  expect(givenUp.failedBatches.get('other')).toBe(other);
  const names = left('deleted').map(
    ({ eventName, dynamodb }: { eventName: string; dynamodb: { Keys: { sk: { S: string } } } }) =>
      `${eventName} ${dynamodb.Keys.sk.S.split('#')[0]}`,
  );
  expect(names).toEqual(expect.arrayContaining(['REMOVE CONTACT', 'REMOVE OBJECTS', 'INSERT EVENT']));
  expect(await look(after(new Date(), 72 * hour))).toMatchObject({ batches: 3, shortened: 0 });
});

test('A failed batch keeps the request to delete the rest of a contact', async () => {
  const { contactId } = await newNumbered();
  const { organizationId } = tenants.admin;
  await remove(contactId);
  const { partition, sort } = sweepRestKey(contactId);
  const Keys = { pk: { S: joined(['ORG', organizationId, ...partition]) }, sk: { S: joined(sort) } };
  const rest = { eventName: 'MODIFY', dynamodb: { Keys } };
  const ended = { eventName: 'REMOVE', dynamodb: { Keys } };
  givenUp.failedBatches.set('rest', batchOf([rest, ended]));
  expect(await look()).toMatchObject({ shortened: 1 });
  expect(givenUp.failedBatches.get('rest')).toBe(batchOf([rest]));
});

test('What failed and cannot be read holds up nothing else that failed', async () => {
  const deleted = await newNumbered();
  const [deferred = ''] = await deferredAbout(deleted);
  let digits = '';
  const records = await stream.recordsOf(async () => {
    const { contactId, ...canaries } = await newFilledContact();
    ({ digits } = canaries);
    await remove(contactId);
  });
  await remove(deleted.contactId);
  for (const body of ['{"operation":"receive-sms"}', deferred]) {
    givenUp.deadLetters.add(body);
  }
  givenUp.failedBatches.set('odd', 'not JSON');
  givenUp.failedBatches.set('deleted', batchOf(records));
  expect(await look(after(new Date(), 72 * hour))).toMatchObject({
    ...{ deadLetters: 2, triedAgain: 1, batches: 2, shortened: 1, unreadable: 2 },
  });
  expect(legible(givenUp.failedBatches.get('deleted') ?? batchOf([]))).not.toContain(digits);
  expect(givenUp.failedBatches.get('odd')).toBe('not JSON');
});
