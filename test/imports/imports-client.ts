import type { Person, Product } from '../harness/product.ts';
import { expectStatus } from '../harness/tenants.ts';
import { type JobRecord, jobsClient } from '../jobs/jobs-client.ts';
import { uploadedFile } from '../notes/uploads-client.ts';

/** A table as CSV; its first line names the columns. */
export const csv = (...lines: readonly (readonly string[])[]) =>
  lines.map((cells) => cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',')).join('\r\n');

/** Imports of the product, whose slices run when a test says so. */
export function importsClient(product: Product) {
  const jobs = jobsClient(product);

  async function begin(
    person: Person,
    content: string | Uint8Array<ArrayBuffer>,
    body: Record<string, unknown>,
  ): Promise<JobRecord> {
    const file = { name: 'contacts.csv', type: 'text/csv', size: 100 };
    const { key } = await uploadedFile(product, person, content, file);
    const request = { token: person.token, body: { key, ...body } };
    return expectStatus(await product.call('import-contacts', request), 202).data;
  }

  return {
    ...jobs,
    begin,
    /** Imports a file; the job as it ended, with its results. */
    async imported(...[person, content, body]: Parameters<typeof begin>) {
      const job = await jobs.end(person, await begin(person, content, body));
      return { ...job, rows: await jobs.results(person, job) };
    },
  };
}
