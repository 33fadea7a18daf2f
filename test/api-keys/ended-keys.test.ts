import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { afterEach, expect, test } from 'vitest';
import type { Caller, Claims } from '../../shared/kernel/caller.ts';
import { refusals } from '../../shared/kernel/failure.ts';
import type { CallerRecords, Provider } from '../../shared/kernel/ports.ts';
import { newInvocation, systemRuntime } from '../../shared/kernel/serve/invocation.ts';
import type { Key } from '../../shared/table/key.ts';
import type { TableWriter } from '../../shared/table/table.ts';
import type { Fault } from '../contacts/faulty-table.ts';
import { setUpFaultyTable, setUpProduct } from '../harness/fixtures.ts';
import { expectStatus, outcome } from '../harness/tenants.ts';
import { newApiKey, readRemembered } from './keys.ts';

/** What a key does not write once it has ended, and how its own writes get on with each other. */

const product = await setUpProduct();
const faults = setUpFaultyTable();
afterEach(() => faults.clear());
const admin = await product.newOrganization();
const refused = { status: 401, body: refusals.invalid };

/** Does this once the key of a request has been looked at, before the request writes anything. */
function onceAdmitted(apiKeyId: string, work: () => Promise<unknown>) {
  const look = product.providers.callerRecords as Provider;
  product.providers.callerRecords = (scope) => {
    const records = look(scope) as CallerRecords;
    return {
      ...records,
      async currentStanding() {
        const standing = await records.currentStanding();
        if (scope.caller?.key?.id === apiKeyId) {
          await work();
        }
        return standing;
      },
    };
  };
  return () => {
    product.providers.callerRecords = look;
  };
}

const deleteKey = async (id: string) =>
  expectStatus(await product.call('delete-api-key', { token: admin.token, path: { id } }), 200);

test('A request that is under way when its key is deleted writes nothing more', async () => {
  const { key: token, data } = await newApiKey(product, admin);
  const restore = onceAdmitted(data._id, () => deleteKey(data._id));
  const created = await product.call('create-contact', { token, body: { firstName: 'Unwritten' } });
  restore();
  expect(created.status).toBe(503);
  const board = await product.call('list-contacts-by-stage', { token: admin.token, body: {} });
  expect(board.text).not.toContain('Unwritten');
  expect(outcome(await product.call('read-me', { token }))).toEqual(refused);
});

test('Nor does one that changes a single record, or that gets forms for uploads', async () => {
  const preferences = () => product.call('read-notification-preferences', { token: admin.token });
  const before = (await preferences()).text;
  const file = { name: 'a.txt', type: 'text/plain', size: 1 };
  for (const [name, body] of Object.entries({
    'update-notification-preferences': { campaigns: false },
    'create-uploads': { files: [file] },
  })) {
    const { key: token, data } = await newApiKey(product, admin);
    const restore = onceAdmitted(data._id, () => deleteKey(data._id));
    const { status, text } = await product.call(name, { token, body });
    restore();
    expect([name, status]).toEqual([name, 503]);
    expect(text).not.toContain('key');
  }
  expect((await preferences()).text).toBe(before);
});

test('Nor does one with a secret that was replaced, whatever it writes: by a transaction, by itself, or by deleting many', async () => {
  const { key: token, data } = await newApiKey(product, admin);
  const { key, ...claims } = (await readRemembered(product, token)) as Required<Claims>;
  const caller: Caller = { ...claims, homeOrganizationId: admin.organizationId, key };
  const { table: own } = product.tableOf(admin.organizationId);
  const kept = { partition: ['KEPT'], sort: ['RECORD'] } as Key<object>;
  await own.commit([own.put(kept, {})]);
  const standing = Promise.resolve({ role: 'ADMIN' as const, keyVersion: 1 });
  const open = () =>
    newInvocation(systemRuntime, product.providers).ports(
      { table: 'write' },
      caller,
      admin.organizationId,
      standing,
    ) as { table: TableWriter };
  const written = { partition: ['KEPT'], sort: ['OTHER'] } as Key<object>;
  await open().table.update(written, { update: 'SET used = :one', values: { one: 1 } });
  expect((await own.read(written))?.attributes?.used).toBe(1);

  const rotated = await product.call('rotate-api-key', {
    token: admin.token,
    path: { id: data._id },
    body: { overlapHours: 0 },
  });
  expectStatus(rotated, 200);
  const { table } = open();
  await expect(table.commit([table.put(written, {})])).rejects.toThrow('The service is busy');
  await expect(table.update(kept, { update: 'SET used = :one', values: { one: 1 } })).rejects.toThrow(
    'The service is busy',
  );
  await expect(table.deleteMany([kept, written])).rejects.toThrow('The service is busy');
  expect(await own.readMany([kept, written])).toEqual([
    expect.objectContaining({ data: {} }),
    expect.objectContaining({ attributes: expect.objectContaining({ used: 1 }) }),
  ]);
});

test('Writes by one key at once check different records, and none of them the key itself', async () => {
  const { key: token, data } = await newApiKey(product, admin);
  faults.clear();
  const created = await Promise.all(
    Array.from({ length: 40 }, () => product.call('create-contact', { token, body: { firstName: 'Ada' } })),
  );
  const checked = faults
    .tries('TransactWriteItemsCommand')
    .flatMap(({ TransactItems }) => TransactItems as { ConditionCheck?: { Key: { sk: string } } }[])
    .flatMap(({ ConditionCheck }) => ConditionCheck?.Key.sk ?? [])
    .filter((sk) => JSON.stringify(sk).includes(data._id));
  expect(created.every(({ status }) => status === 201)).toBe(true);
  expect(checked).toHaveLength(40);
  expect(new Set(checked.map((sk) => JSON.stringify(sk))).size).toBeGreaterThan(4);
  expect(checked.every((sk) => JSON.stringify(sk).includes('GUARD'))).toBe(true);
});

test('A write by a key that meets another one at the same record is tried again, and happens once', async () => {
  const { key: token } = await newApiKey(product, admin);
  const conflict: Fault = () =>
    Promise.reject(
      new TransactionCanceledException({
        $metadata: {},
        message: 'conflict',
        CancellationReasons: [{ Code: 'None' }, { Code: 'TransactionConflict' }],
      }),
    );
  faults.next('TransactWriteItemsCommand', conflict, conflict, conflict);
  const { status, body } = await product.call('create-contact', { token, body: { firstName: 'Late' } });
  expect(status).toBe(201);
  const board = await product.call('list-contacts-by-stage', {
    token: admin.token,
    body: { search: 'Late' },
  });
  expect(board.text.split(body.data._id)).toHaveLength(2);
});
