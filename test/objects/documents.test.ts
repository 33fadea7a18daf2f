import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { Refused } from '../../shared/kernel/failure.ts';
import type { PortTypes, Provider, Standing } from '../../shared/kernel/ports.ts';
import { invocationScope } from '../harness/objects.ts';
import { objectsOfTest, storedAt } from './bucket.ts';

test.each([
  ['of a few megabytes', randomBytes(5_000_000)],
  ['with every byte there is', Uint8Array.from({ length: 256 }, (_, byte) => byte)],
  ['with nothing in it', new Uint8Array()],
  ['in the middle of a larger buffer', Buffer.from('before document after').subarray(7, 15)],
])('A document comes back byte for byte: one %s', async (_, bytes) => {
  const documents = await objectsOfTest().of('acme', 'documents');
  await documents.put('workflow-1/01J', bytes);
  const found = await documents.get('workflow-1/01J');
  expect(found?.byteLength).toBe(bytes.byteLength);
  expect(Buffer.compare(Buffer.from(found ?? []), Buffer.from(bytes))).toBe(0);
});

test('A document lies in the bucket under the key of its organization', async () => {
  const objects = objectsOfTest();
  await (await objects.of('acme', 'documents')).put('workflow 1/(01J)', Buffer.from('hello'));
  const stored = await storedAt(objects, 'documents/acme/workflow 1/(01J)');
  expect(String(stored.bytes)).toBe('hello');
  expect(stored.type).toBe('application/octet-stream');
});

test('A document is replaced in one piece', async () => {
  const documents = await objectsOfTest().of('acme', 'documents');
  await documents.put('workflow-1', Buffer.from('a long first version'));
  await documents.put('workflow-1', Buffer.from('second'));
  expect(Buffer.from((await documents.get('workflow-1')) ?? []).toString()).toBe('second');
});

test('A document is not there before it is stored, after it is removed, or for another organization', async () => {
  const objects = objectsOfTest();
  const documents = await objects.of('acme', 'documents');
  expect(await documents.get('workflow-1')).toBeUndefined();
  await documents.put('workflow-1', Buffer.from('hello'));
  expect(await (await objects.of('rival', 'documents')).get('workflow-1')).toBeUndefined();
  await documents.remove('workflow-1');
  expect(await documents.get('workflow-1')).toBeUndefined();
});

test('A document can be removed twice, and only by its organization', async () => {
  const objects = objectsOfTest();
  const documents = await objects.of('acme', 'documents');
  await documents.put('workflow-1', Buffer.from('hello'));
  await (await objects.of('rival', 'documents')).remove('workflow-1');
  expect(await documents.get('workflow-1')).toBeDefined();
  await documents.remove('workflow-1');
  await expect(documents.remove('workflow-1')).resolves.toBeUndefined();
});

test('A document is read at once, but neither stored nor removed, while it is looked up whether the caller may write, nor if not', async () => {
  const objects = objectsOfTest();
  const provide = (await objects.provider('documents')) as Provider;
  const looking = Promise.withResolvers<Standing>();
  const scope = { ...invocationScope('acme'), mayWrite: looking.promise };
  const documents = provide(scope) as PortTypes['objects']['documents'];
  await (await objects.of('acme', 'documents')).put('workflow-1', Buffer.from('hello'));
  const writes = Promise.allSettled([
    documents.put('workflow-1', Buffer.from('farewell')),
    documents.remove('workflow-1'),
  ]);
  expect(Buffer.from((await documents.get('workflow-1')) ?? []).toString()).toBe('hello');
  looking.reject(new Refused('invalid'));
  expect((await writes).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(Buffer.from((await documents.get('workflow-1')) ?? []).toString()).toBe('hello');
});
