import { messageAnswer } from '../../shared/kernel/envelope.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { clearStep } from '../../shared/outreach/metrics-cache.ts';

export default operation({
  route: 'POST /api/outreach-metrics/clear-cache',
  summary: 'Clear the cache of outreach metrics',
  description: "Of all the caller's own queries, in one write. The next read computes anew.",
  family: 'plain',
  allow: 'SALES_REP',
  output: messageAnswer(),
  uses: { table: 'write' },
  async run(_request, { table, caller, now, newId }) {
    await table.commit([clearStep(table, caller.userId, newId(), now)]);
    return { success: true as const, message: 'The cache of outreach metrics is cleared' };
  },
});
