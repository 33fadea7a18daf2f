import { expect, test } from 'vitest';
import { Failure } from '../../shared/kernel/failure.ts';
import { invocationLimits } from '../../shared/kernel/serve/invocation-limits.ts';
import { second } from '../../shared/kernel/time.ts';
import { clientLimits } from '../../shared/ports/aws/client-limits.ts';
import { provideDocuments, provideErasure, provideNewAttachments } from '../../shared/ports/objects.ts';
import { invocationScope } from '../harness/objects.ts';
import { objectsOfTest } from './bucket.ts';
import {
  answering,
  connectionLost,
  cutOff,
  failingStore,
  type StoreFault,
  silent,
  stalled,
} from './failing-store.ts';

/** The documents of an organization, with one document, behind a store that fails from now on. */
async function failing(...faults: StoreFault[]) {
  const objects = objectsOfTest();
  await (await objects.of('acme', 'documents')).put('workflow-1', Buffer.from('0123456789'));
  const { environment, requests } = await failingStore(objects, faults);
  return {
    requests,
    healthy: await objects.of('acme', 'documents'),
    documents: provideDocuments(environment)(invocationScope('acme')),
    attachments: provideNewAttachments(environment)(invocationScope('acme')),
  };
}

const passing: [string, StoreFault][] = [
  ['asks to slow down', answering(503, 'SlowDown')],
  ['has an internal error', answering(500, 'InternalError')],
  ['has waited too long for the request', answering(400, 'RequestTimeout')],
  ['loses the connection', connectionLost],
];

test('When the store fails twice, nobody notices', async () => {
  const { documents, healthy, requests } = await failing(connectionLost, answering(503, 'SlowDown'));
  await documents.put('workflow-1', Buffer.from('new'));
  expect(Buffer.from((await healthy.get('workflow-1')) ?? []).toString()).toBe('new');
  expect(requests()).toBe(3);
});

test.each(passing)(
  'When the store %s again and again, the caller is asked to come back later',
  async (_, fault) => {
    const { documents, requests } = await failing(fault, fault, fault);
    const error = await documents.get('workflow-1').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Failure);
    expect(error).toMatchObject({ code: 'UNAVAILABLE', retryAfter: 1 });
    expect(requests()).toBe(3);
  },
);

test('When the store does not respond, or stops or breaks off in the middle of a response, the caller is told so before the function ends', async () => {
  const { maxAttempts, requestHandler } = clientLimits;
  const all = [silent, stalled, cutOff].map(async (fault) => {
    const { documents } = await failing(...Array(maxAttempts).fill(fault));
    await expect(documents.get('workflow-1')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });
  await Promise.all(all);
  // What is left is for the pauses between the tries, and for the rest of the call.
  expect(maxAttempts * requestHandler.requestTimeout).toBeLessThan(invocationLimits.http - 2 * second);
});

test('When the store is not there at all, the caller is asked to come back later', async () => {
  const objects = objectsOfTest();
  const environment = await objects.environment();
  await objects.stop();
  const documents = provideDocuments(environment)(invocationScope('acme'));
  await expect(documents.get('workflow-1')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
});

test('When the store denies access to a missing object, as it does when the role may not list, the object is missing', async () => {
  const denied = answering(403, 'AccessDenied');
  const { documents, attachments, requests } = await failing(denied, denied);
  expect(await documents.get('workflow-1')).toBeUndefined();
  expect(await attachments.upload('org/acme/user-1/01J/a.pdf')).toBeUndefined();
  expect(requests()).toBe(2);
});

test.each([
  [403, 'SignatureDoesNotMatch'],
  [403, 'InvalidAccessKeyId'],
  [403, undefined],
  [400, 'ExpiredToken'],
  [404, 'NoSuchBucket'],
  [301, 'PermanentRedirect'],
])('When the store returns %i %s, that is a defect and not a missing object', async (status, code) => {
  const { documents, requests } = await failing(answering(status, code));
  const error = await documents.get('workflow-1').catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(Error);
  expect(error).not.toBeInstanceOf(Failure);
  expect(error).toMatchObject({ $metadata: { httpStatusCode: status, requestId: 'REQUEST-1' } });
  expect(requests()).toBe(1);
});

test('When the store denies a write or a removal, that is a defect', async () => {
  const denied = answering(403, 'AccessDenied');
  const { documents, healthy } = await failing(denied, denied);
  await expect(documents.put('workflow-1', Buffer.from('new'))).rejects.toMatchObject({
    name: 'AccessDenied',
  });
  await expect(documents.remove('workflow-1')).rejects.toMatchObject({ name: 'AccessDenied' });
  expect(Buffer.from((await healthy.get('workflow-1')) ?? []).toString()).toBe('0123456789');
});

test('Bytes that change on their way to the store are not stored', async () => {
  const flipped: StoreFault = (incoming, _response, next) => {
    incoming.once('data', (chunk: Buffer) => chunk.writeUInt8(chunk.readUInt8(0) ^ 1, 0));
    incoming.pause();
    next();
  };
  const { documents, healthy } = await failing(flipped);
  await expect(documents.put('workflow-1', Buffer.from('new'))).rejects.toMatchObject({
    name: 'XAmzContentSHA256Mismatch',
  });
  expect(Buffer.from((await healthy.get('workflow-1')) ?? []).toString()).toBe('0123456789');
});

const noCopy: StoreFault = (incoming, response) => {
  incoming.resume();
  response.writeHead(200, { 'content-type': 'application/xml' });
  response.end('<?xml version="1.0"?><Error><Code>InternalError</Code><Message>Later</Message></Error>');
};

test('When the store begins a copy and then reports that it failed, the copy is made again', async () => {
  const { attachments, requests } = await failing(noCopy, answering(404, 'NoSuchKey'));
  const upload = { relative: 'user-1/01J/a.pdf', size: 1, type: 'a/b', etag: '"0"', version: undefined };
  await expect(attachments.copy(upload, 'note-1/0')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  expect(requests()).toBe(2);
});

test('After the deadline of its invocation, nothing is asked of the store', async () => {
  const objects = objectsOfTest();
  const { environment, requests } = await failingStore(objects, []);
  const late = { ...invocationScope('acme'), deadline: { left: () => -1 } };
  const busy = { code: 'UNAVAILABLE', retryAfter: 1 };
  const upload = { relative: 'user-1/01J/a.pdf', size: 1, type: 'a/b', etag: '"0"', version: undefined };
  await expect(
    provideDocuments(environment)(late).put('workflow-1', Buffer.from('late')),
  ).rejects.toMatchObject(busy);
  await expect(provideNewAttachments(environment)(late).copy(upload, 'note-1/0')).rejects.toMatchObject(busy);
  expect(requests()).toBe(0);
});

test('A file that was copied twice, because the first response was lost, does not appear again when its version is deleted', async () => {
  const asked: string[] = [];
  const noting: StoreFault = ({ method, url }, _response, next) => {
    asked.push(`${method} ${url}`);
    next();
  };
  const { environment } = await failingStore(objectsOfTest(), [noting, noting, noting]);
  const file = { area: 'files', key: 'note-1/0', version: 'second' } as const;
  await provideErasure(environment)(invocationScope('acme'))('acme').remove(file);
  // The first of these deletes the version that is known, the second hides every other.
  expect(asked.sort()).toEqual([
    expect.stringMatching(/^DELETE [^?]*\/files\/acme\/note-1\/0\?versionId=second/),
    expect.stringMatching(/^DELETE [^?]*\/files\/acme\/note-1\/0\?x-id=DeleteObject$/),
  ]);
});
