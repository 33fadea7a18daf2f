import { streamOperation } from '../../shared/kernel/trigger.ts';
import { prefixOf } from '../../shared/table/key.ts';
import { indexChanges } from './model/search/index-changes.ts';

export default streamOperation({
  reader: 'background',
  on: { change: ['INSERT', 'MODIFY'], sortPrefix: prefixOf(['all']) },
  summary: 'Keep the search index of large pipelines near the present',
  uses: { organizations: 'write', platform: 'write' },
  async run(changes, { organizations, platform, now, newId }) {
    await indexChanges(changes, { organizations, platform, now, newId });
  },
});
