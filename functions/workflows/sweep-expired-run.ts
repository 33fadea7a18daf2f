import { forEachOrThrow } from '../../shared/kernel/for-each-concurrently.ts';
import { streamOperation } from '../../shared/kernel/trigger.ts';
import { keyParts, keyPrefix } from '../../shared/table/key.ts';
import { organizationIn } from '../../shared/table/spaces.ts';
import { runEventKey, stepRecordRange } from './model/runs/run.ts';

/** Runs that are swept at the same time: those of a burst expire together. */
const width = 10;

/**
 * Only a run's record expires, at its time after the end: what its steps wrote meanwhile could not say when that would be, and to write it
 * all again would cost as much as to delete it.
 */
export default streamOperation({
  reader: 'background',
  on: { change: 'REMOVE', sortPrefix: keyPrefix(['RUN']) },
  summary: 'Delete the steps of runs of workflows that have expired',
  uses: { organizations: 'write' },
  async run(changes, { organizations }) {
    await forEachOrThrow(changes, width, async ({ partition, sort }) => {
      const [, runId = ''] = keyParts(sort);
      const table = organizations(organizationIn(partition) ?? '');
      const stepRecords = await table.list(stepRecordRange(runId));
      await table.deleteMany([runEventKey(runId), ...stepRecords.map(({ key }) => key)]);
    });
  },
});
