import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { findWorkflow } from './model/definition/find-workflow.ts';
import { toWorkflowResponse, WorkflowData, workflowData } from './model/definition/workflow-schemas.ts';

export default operation({
  route: 'GET /api/workflows/{id}',
  summary: 'Read a workflow',
  tool: { name: 'read_workflow', when: 'To see what a workflow does: its nodes and their connections.' },
  description: 'Nodes, edges and extra properties are returned exactly as they were sent.',
  family: 'plain',
  minimumRole: 'SALES_REP',
  output: WorkflowData,
  failures: ['NOT_FOUND'],
  example: { path: { id: demo.workflow } },
  uses: { table: 'read', objects: 'storedDocuments' },
  async run({ path }, { table, objects, caller }) {
    return table.optimistically(async () => {
      const { header, document } = await findWorkflow({ table, objects }, caller, path.id);
      return workflowData(toWorkflowResponse(header.data, document));
    });
  },
});
