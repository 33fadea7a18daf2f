import { expect, test } from 'vitest';
import type { Resources } from '../../infra/port-resources.ts';
import { usedPorts } from '../../infra/ports.ts';
import { type Access, accesses } from './bucket.ts';

const resources = { objectsArn: (pattern: string) => pattern } as Resources;

/** The actions that a function with this access is allowed, by the keys of the objects. */
function allowedTo(access: Access): Record<string, string[]> {
  const grants = usedPorts({ objects: access }).flatMap((port) => port.grants?.(resources) ?? []);
  const keys = grants.flatMap((grant) =>
    grant.resources.map((pattern) => [pattern, [...grant.actions].sort()]),
  );
  expect(new Set(keys.map(([pattern]) => pattern)).size).toBe(keys.length);
  return Object.fromEntries(keys);
}

const allowed: Record<Access, Record<string, string[]>> = {
  downloads: { 'files/*': ['s3:GetObject'] },
  attachments: { 'files/*': ['s3:GetObject'] },
  newAttachments: { 'org/*': ['s3:GetObject'], 'files/*': ['s3:GetObject', 's3:PutObject'] },
  uploads: { 'org/*': ['s3:PutObject'] },
  importFiles: { 'org/*': ['s3:GetObject'], 'documents/*': ['s3:PutObject'] },
  storedDocuments: { 'documents/*': ['s3:GetObject'] },
  plans: { 'documents/*': ['s3:GetObject'] },
  documents: { 'documents/*': ['s3:DeleteObject', 's3:GetObject', 's3:PutObject'] },
  exports: { 'exports/*': ['s3:GetObject', 's3:PutObject'], 'files/*': ['s3:GetObject'] },
  exportFiles: { 'exports/*': ['s3:GetObject', 's3:PutObject'] },
  erasure: {
    'org/*': ['s3:DeleteObject', 's3:DeleteObjectVersion'],
    'files/*': ['s3:DeleteObject', 's3:DeleteObjectVersion'],
    'documents/*': ['s3:DeleteObject', 's3:DeleteObjectVersion'],
    'exports/*': ['s3:DeleteObject'],
  },
};

test.each(accesses)(
  'A function with the port "objects" with the access "%s" may do exactly this with each kind of object',
  (access) => {
    expect(allowedTo(access)).toEqual(allowed[access]);
  },
);
