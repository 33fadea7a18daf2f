import { operation } from '../../shared/kernel/operation.ts';
import { messageResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { clearAction } from './model/metrics-cache.ts';

export default operation({
  route: 'POST /api/outreach-metrics/clear-cache',
  tag: 'Outreach Metrics',
  summary: 'Clear the cache of outreach metrics',
  description:
    'Clears the cached metrics of all your queries, in every organization. The next read computes them again.',
  family: 'plain',
  minimumRole: 'SALES_REP',
  output: messageResponse(),
  uses: { organizations: 'write' },
  async run(_request, { organizations, caller, now, newId }) {
    const home = organizations(caller.homeOrganizationId);
    await home.commit([clearAction(home, caller.userId, newId(), now)]);
    return ok({ message: 'Outreach metrics cache cleared' });
  },
});
