import * as z from 'zod/mini';
import type { ResultRow } from '../../../shared/jobs/job.ts';
import { type RecordStatus, recordStatuses } from '../../../shared/jobs/job-statuses.ts';
import { described } from '../../../shared/kernel/schemas/descriptions.ts';
import { anyString } from '../../../shared/kernel/schemas/fields.ts';

export const ResultResponse = described(
  z.object({
    row: z.int(),
    contactId: z.optional(anyString),
    status: z.enum(recordStatuses),
    reason: z.optional(anyString),
  }),
  {
    row: 'The place of the record: the line in the file, whose header is 1, or the number of the contact, from 1.',
    contactId: 'The contact; absent if there is none.',
    status: 'What became of it. `updated` also stands for what was archived or deleted.',
    reason:
      'Why it was `skipped` (`unchanged`, `cancelled`, `creator_disabled`) or `failed`, then in a sentence.',
  },
  { id: 'JobResult', description: 'What became of one record of a job.' },
);

export function toResultResponse({
  isOpen: _,
  status,
  ...result
}: ResultRow): z.input<typeof ResultResponse> {
  // The results of a revert, which have others, are in a list of their own.
  return { ...result, status: status as RecordStatus };
}
