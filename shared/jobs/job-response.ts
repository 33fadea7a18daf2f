import * as z from 'zod/mini';
import { described } from '../kernel/schemas/descriptions.ts';
import { anyBoolean, anyString, dateTime } from '../kernel/schemas/fields.ts';
import type { Job } from './job.ts';
import { jobStatuses, jobTypes } from './job-statuses.ts';

const count = z.int();

export const JobResponse = described(
  z.object({
    _id: anyString,
    type: z.enum(jobTypes),
    status: z.enum(jobStatuses),
    dryRun: anyBoolean,
    counts: described(
      z.object({ total: count, created: count, updated: count, skipped: count, failed: count }),
      {
        total: 'How many records it has; 0 until they are counted.',
        created: 'Contacts that it created.',
        updated: 'Contacts that it changed, archived or deleted.',
        skipped: 'Records that needed no change, or that a cancelled job did not reach.',
        failed: 'Records that were refused.',
      },
    ),
    startedAt: z.nullable(dateTime),
    endedAt: z.nullable(dateTime),
    createdBy: anyString,
    result: z.optional(z.record(anyString, z.unknown())),
  }),
  {
    _id: 'The id of the job.',
    type: 'What kind of job it is.',
    status: '`queued` before its first record, `running`, and then how it ended.',
    dryRun: 'Whether it changes nothing, and only says what it would do.',
    counts: 'Its records, by what became of them; once it has ended, they add up to `total`.',
    startedAt: 'When its first record began; null before.',
    endedAt: 'When it ended; null before.',
    createdBy: 'The user with whose rights it works.',
    result: 'What it came to, by its type; absent if the counts say all.',
  },
  { id: 'Job', description: 'Work through many records, done by the service after the request.' },
);

export function toJobResponse(job: Job): z.input<typeof JobResponse> {
  const { _id, type, status, dryRun, counts, startedAt, endedAt, createdBy, result } = job;
  return {
    ...{ _id, type, status, dryRun, counts, startedAt, endedAt, createdBy },
    ...(result && { result }),
  };
}
