import { onTestFinished } from 'vitest';
import type { PortTypes } from '../../shared/kernel/ports.ts';
import { bucketFrom } from '../../shared/ports/aws/s3-bucket.ts';
import { type TestObjects, testObjects } from '../harness/objects.ts';

export type Access = keyof PortTypes['objects'];
export const accesses: readonly Access[] = [
  'downloads',
  'attachments',
  'newAttachments',
  'uploads',
  'importFiles',
  'storedDocuments',
  'plans',
  'documents',
  'exports',
  'exportFiles',
  'erasure',
];

/** A store for one test. */
export function objectsOfTest(): TestObjects {
  const objects = testObjects();
  onTestFinished(objects.stop);
  return objects;
}

/** An object as it is stored under this full key. */
export async function storedAt(objects: TestObjects, Key: string) {
  const { name: Bucket, load } = bucketFrom(await objects.environment());
  const { client, GetObjectCommand } = await load();
  const { Body, ContentType } = await client.send(new GetObjectCommand({ Bucket, Key }));
  return { bytes: Buffer.from((await Body?.transformToByteArray()) ?? []), type: ContentType };
}
