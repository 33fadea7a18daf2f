import { indexChanges } from '../../shared/column-index/apply-changes.ts';
import { streamOperation } from '../../shared/kernel/trigger.ts';
import { keyPrefix } from '../../shared/table/key.ts';

export default streamOperation({
  reader: 'background',
  on: { change: ['INSERT', 'MODIFY'], sortPrefix: keyPrefix(['all']) },
  summary: 'Keep the search indexes of large pipelines up to date',
  uses: { organizations: 'write', platform: 'write', queue: 'compactions' },
  async run(changes, { organizations, platform, queue, newId }) {
    await indexChanges(changes, { organizations, platform, queue, newId });
  },
});
