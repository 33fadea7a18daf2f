import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { onTestFinished } from 'vitest';
import type { PortTypes } from '../../shared/kernel/ports.ts';
import { type TestObjects, testObjects } from '../harness/objects.ts';

export type Access = keyof PortTypes['objects'];
export const accesses: readonly Access[] = [
  'downloads',
  'attachments',
  'newAttachments',
  'uploads',
  'storedDocuments',
  'plans',
  'documents',
  'exports',
  'erasure',
];

/** A store for one test. */
export function objectsOfTest(): TestObjects {
  const objects = testObjects();
  onTestFinished(objects.stop);
  return objects;
}

/** The SDK's own client, which shares nothing with the ports but the signer. */
async function officialClient(objects: TestObjects): Promise<S3Client> {
  const environment = await objects.environment();
  const client = new S3Client({
    endpoint: environment.AWS_ENDPOINT_URL_S3 ?? '',
    region: environment.AWS_REGION ?? '',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    forcePathStyle: true,
    maxAttempts: 1,
  });
  onTestFinished(() => client.destroy());
  return client;
}

/** An object as the SDK's own client reads it. */
export async function officiallyRead(objects: TestObjects, Key: string) {
  const client = await officialClient(objects);
  const found = await client.send(
    new GetObjectCommand({ Bucket: 'switchboard', Key, ChecksumMode: 'ENABLED' }),
  );
  return { ...found, bytes: await found.Body?.transformToByteArray() };
}
