import type { Job, ResultRow } from '../../shared/jobs/job.ts';
import { after, second } from '../../shared/kernel/time.ts';
import { clockClient } from '../harness/clock.ts';
import type { Person, Product } from '../harness/product.ts';
import { everyPage, expectStatus } from '../harness/tenants.ts';

/** A job as responses show it. */
export type JobRecord = Pick<
  Job,
  '_id' | 'type' | 'status' | 'dryRun' | 'counts' | 'startedAt' | 'endedAt' | 'createdBy' | 'result'
>;

export const counts = (more: Partial<Job['counts']>): Job['counts'] => ({
  ...{ total: 0, created: 0, updated: 0, skipped: 0, failed: 0 },
  ...more,
});

/** The jobs of the product, whose slices run when a test says so. */
export function jobsClient(product: Product) {
  const clock = clockClient(product);

  const read = async ({ token }: Person, id: string): Promise<JobRecord> =>
    expectStatus(await product.call('read-job', { token, path: { id } }), 200).data;

  return {
    clock,
    read,
    /** Starts a bulk change; it must be accepted. */
    async change({ token }: Person, body: Record<string, unknown>): Promise<JobRecord> {
      return expectStatus(await product.call('change-contacts', { token, body }), 202).data;
    },
    /** Runs all slices of a job; the job as it is then. */
    async end(person: Person, { _id }: Pick<JobRecord, '_id'>): Promise<JobRecord> {
      for (let at = new Date(); ; at = after(at, 2 * second)) {
        const job = await read(person, _id);
        if (job.endedAt !== null) {
          return job;
        }
        await clock.run(at);
      }
    },
    results: ({ token }: Person, { _id: id }: Pick<JobRecord, '_id'>, query: Record<string, string> = {}) =>
      everyPage<ResultRow>(
        (page) => product.call('list-job-results', { token, path: { id }, query: page }),
        query,
      ),
  };
}

/** A new job of this person; its id. */
export async function startJob(product: Product, { token }: Person): Promise<string> {
  const body = { ids: ['nobody'], change: { addTags: ['newsletter'] } };
  return expectStatus(await product.call('change-contacts', { token, body }), 202).data._id;
}
