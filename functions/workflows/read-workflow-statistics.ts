import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { dataResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { readScope } from '../../shared/organizations/visibility.ts';
import { readStatistics } from '../../shared/workflows/run-statistics.ts';
import { findWorkflow } from './model/definition/find-workflow.ts';
import { parseGraph } from './model/definition/graph.ts';
import { readRefusals } from './model/runs/refusals.ts';
import { findVisibleContacts } from './model/runs/run-page.ts';
import { StatisticsResponse, statisticsByNode } from './model/runs/statistics-response.ts';

export default operation({
  route: 'GET /api/workflows/{id}/statistics',
  summary: 'Read what the runs of a workflow did at each node',
  tool: {
    name: 'read_workflow_statistics',
    when: 'To see how many runs came through each node of a workflow.',
  },
  description:
    'Counts all runs since the workflow was created, including those of earlier revisions, of deleted contacts and of contacts that you may not see. Lists every node of the graph, even one that no run has reached, and then the nodes that have been removed from the graph.',
  family: 'plain',
  minimumRole: 'SALES_REP',
  output: dataResponse(StatisticsResponse),
  failures: ['NOT_FOUND'],
  example: { path: { id: demo.formerWorkflow } },
  uses: { table: 'read', objects: 'storedDocuments' },
  async run({ path }, { table, objects, caller }) {
    const [{ document }, scope, statistics, { refused, lastRefusals }] = await Promise.all([
      table.optimistically(() => findWorkflow({ table, objects }, caller, path.id)),
      readScope(caller, table),
      readStatistics(table, path.id),
      readRefusals(table, path.id),
    ]);
    const isVisible = await findVisibleContacts(
      table,
      scope,
      lastRefusals.map(({ contactId }) => contactId),
    );
    return ok({
      data: {
        nodes: statisticsByNode(
          parseGraph(document).nodes.map(({ id }) => id),
          statistics,
        ),
        refused,
        lastRefusals: lastRefusals.map(({ at, reason, contactId, nodeId, chain }) => ({
          ...{ at, reason },
          ...(isVisible(contactId) && { contactId }),
          ...{ nodeId, chain: [...chain] },
        })),
      },
    });
  },
});
