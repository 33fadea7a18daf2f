import { CopyObjectCommand, DeleteObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import { bucket, get, put, readText, store } from './object-store-fixture.ts';

const copy = (s3: S3Client, from: string, Key: string, CopySourceIfMatch?: string) =>
  s3.send(
    new CopyObjectCommand({
      Bucket: bucket,
      Key,
      CopySource: encodeURIComponent(`${bucket}/${from}`),
      ...(CopySourceIfMatch !== undefined && { CopySourceIfMatch }),
    }),
  );

test('A copy has the content and the type of its source, and stays as it is when the source changes', async () => {
  const s3 = (await store()).client();
  const { ETag } = await put(s3, 'a (1)+ä', 'hello', { ContentType: 'text/plain' });
  const copied = await copy(s3, 'a (1)+ä', 'b', ETag);
  expect(copied.CopyObjectResult?.ETag).toBe(ETag);
  await put(s3, 'a (1)+ä', 'other');
  expect(await readText(s3, 'b')).toBe('hello');
  expect(await get(s3, 'b')).toMatchObject({ ContentType: 'text/plain', VersionId: copied.VersionId });
});

test('A copy is not made of what changed since, or does not exist', async () => {
  const { client, fileCount } = await store();
  const s3 = client();
  const { ETag } = await put(s3, 'a', 'hello');
  await put(s3, 'a', 'other');
  await expect(copy(s3, 'a', 'b', ETag)).rejects.toMatchObject({ name: 'PreconditionFailed' });
  await expect(copy(s3, 'none', 'b')).rejects.toMatchObject({ name: 'NoSuchKey' });
  expect(await fileCount()).toBe(1);
});

test('Every write makes a version, and the deletion of another version deletes nothing', async () => {
  const s3 = (await store()).client();
  const first = await put(s3, 'a', 'first');
  const second = await put(s3, 'a', 'second');
  expect(second.VersionId).not.toBe(first.VersionId);
  const remove = (VersionId = '') =>
    s3.send(new DeleteObjectCommand({ Bucket: bucket, Key: 'a', VersionId }));
  await remove(first.VersionId);
  expect(await readText(s3, 'a')).toBe('second');
  await remove(second.VersionId);
  await expect(get(s3, 'a')).rejects.toMatchObject({ name: 'NoSuchKey' });
});

test('A write with the condition of an ETag replaces that object alone', async () => {
  const s3 = (await store()).client();
  const { ETag: IfMatch } = await put(s3, 'a', 'first');
  await put(s3, 'a', 'second', { IfMatch });
  await expect(put(s3, 'a', 'third', { IfMatch })).rejects.toMatchObject({ name: 'PreconditionFailed' });
  await expect(put(s3, 'b', 'first', { IfMatch })).rejects.toMatchObject({ name: 'NoSuchKey' });
  expect(await readText(s3, 'a')).toBe('second');
});

test('Of many writes at once with the condition of the same ETag, one succeeds, and a deletion of a version deletes no later one', async () => {
  const s3 = (await store()).client();
  for (let round = 0; round < 10; round += 1) {
    const { ETag: IfMatch } = await put(s3, 'a', `first ${round}`);
    const bodies = Array.from({ length: 10 }, (_, index) => `${round} ${index}`);
    const writes = await Promise.allSettled(bodies.map((body) => put(s3, 'a', body, { IfMatch })));
    const written = bodies.filter((_, index) => writes[index]?.status === 'fulfilled');
    expect(written).toEqual([await readText(s3, 'a')]);

    const { VersionId } = await put(s3, 'b', 'former');
    const deletion = new DeleteObjectCommand({ Bucket: bucket, Key: 'b', VersionId });
    await Promise.all([put(s3, 'b', 'latter'), s3.send(deletion)]);
    expect(await readText(s3, 'b')).toBe('latter');
  }
});
