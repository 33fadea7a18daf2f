import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  GetObjectCommand,
  type GetObjectCommandInput,
  PutObjectCommand,
  type PutObjectCommandInput,
  S3Client,
  type S3ClientConfig,
} from '@aws-sdk/client-s3';
import { createPresignedPost, type PresignedPostOptions } from '@aws-sdk/s3-presigned-post';
import { onTestFinished } from 'vitest';
import { startObjectStore } from '../../infra/local/object-store/store.ts';

export const bucket = 'uploads';
export const key = 'org/1/user/2/id/report.pdf';
export const region = 'eu-central-1';
export const credentials = { accessKeyId: 'LOCALKEY', secretAccessKey: 'local/secret+key' };

/** Starts a store in a new folder; it and its clients are gone when the test ends. */
export async function store(options: { ahead?: number; dir?: string } = {}) {
  const dir = options.dir ?? (await newFolder());
  const { ahead = 0 } = options;
  const { endpoint, stop } = await startObjectStore({
    dir,
    buckets: [bucket],
    port: 0,
    credentials,
    region,
    clock: () => new Date(Date.now() + ahead),
  });
  onTestFinished(stop);

  function client(config: S3ClientConfig = {}): S3Client {
    const s3 = new S3Client({
      endpoint,
      region,
      credentials,
      forcePathStyle: true,
      maxAttempts: 1,
      ...config,
    });
    onTestFinished(() => s3.destroy());
    return s3;
  }
  return {
    dir,
    endpoint,
    stop,
    client,
    form: (form: Partial<PresignedPostOptions> = {}) => signedForm(client(), form),
    /** How many files lie in the bucket and among the unfinished uploads. */
    async fileCount(): Promise<number> {
      const folders = [bucket, '.drafts'].map((name) => readdir(join(dir, name)));
      return (await Promise.all(folders)).flat().length;
    },
  };
}

export const put = (s3: S3Client, Key: string, Body: NonNullable<PutObjectCommandInput['Body']>, more = {}) =>
  s3.send(new PutObjectCommand({ Bucket: bucket, Key, Body, ...more }));

export const get = (s3: S3Client, Key: string, more: Partial<GetObjectCommandInput> = {}) =>
  s3.send(new GetObjectCommand({ Bucket: bucket, Key, ...more }));

export async function readText(s3: S3Client, Key: string, more: Partial<GetObjectCommandInput> = {}) {
  return (await get(s3, Key, more)).Body?.transformToString();
}

export async function newFolder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'object-store-test-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

export interface Form {
  url: string;
  fields: Record<string, string>;
}

/** A form as the upload operation hands it out: this key, PDF, up to 1 MB. */
export function signedForm(s3: S3Client, form: Partial<PresignedPostOptions> = {}): Promise<Form> {
  return createPresignedPost(s3, {
    Bucket: bucket,
    Key: key,
    Fields: { 'Content-Type': 'application/pdf' },
    Conditions: [['content-length-range', 1, 1_000_000]],
    Expires: 300,
    ...form,
  });
}

/** Sends a form as a browser does. */
export function upload({ url, fields }: Form, content: string | Blob = 'content', name = 'report.pdf') {
  const body = new FormData();
  for (const [field, value] of Object.entries(fields)) {
    body.append(field, value);
  }
  body.append('file', new Blob([content]), name);
  return fetch(url, { method: 'POST', body, redirect: 'manual' });
}

export const formType = 'multipart/form-data; boundary=edge';

/** The body of a form but for its end. */
export function openForm(fields: Record<string, string>): string {
  return Object.entries(fields)
    .map(([name, value]) => `--edge\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
    .join('');
}

/** Begins to upload a file and sends its first bytes. */
export function beginUpload({ url, fields }: Form): Socket {
  const { host, port, pathname } = new URL(url);
  const socket = connect(Number(port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined);
  const head = `POST ${pathname} HTTP/1.1\r\nhost: ${host}\r\ncontent-type: ${formType}\r\ncontent-length: 9999\r\n\r\n`;
  socket.write(`${head}${openForm({ ...fields, file: 'hello' })}`);
  return socket;
}

/** Status, code and message of a refusal, on one line. */
export async function refusal(response: Response): Promise<string> {
  const xml = await response.text();
  const [, code, message] = /<Code>(.*)<\/Code><Message>(.*?)<\/Message>/s.exec(xml) ?? [];
  return `${response.status} ${code}: ${message?.replaceAll('&#34;', '"')}`;
}
