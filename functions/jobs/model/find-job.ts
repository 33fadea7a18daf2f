import { type Job, jobKey } from '../../../shared/jobs/job.ts';
import { type Caller, reaches } from '../../../shared/kernel/caller.ts';
import { notFound } from '../../../shared/kernel/failure.ts';
import type { Stored, TableReader } from '../../../shared/table/table.ts';

/** Whether the caller may see a job: its creator and every ADMIN may. */
export const maySee = ({ userId, role }: Caller, { createdBy }: Job): boolean =>
  createdBy === userId || reaches(role, 'ADMIN');

/** A job that the caller may see. @throws a 404 `Failure` otherwise. */
export async function findJob(table: TableReader, caller: Caller, id: string): Promise<Stored<Job>> {
  const stored = await table.read(jobKey(id));
  if (stored === undefined || !maySee(caller, stored.data)) {
    throw notFound('Job');
  }
  return stored;
}
