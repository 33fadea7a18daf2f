import * as z from 'zod/mini';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { described } from '../../shared/kernel/schemas/descriptions.ts';
import { dataResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { anyBoolean, anyString } from '../../shared/kernel/schemas/fields.ts';
import { maxLookedUp } from './model/definition/catalogue.ts';
import { findProblems } from './model/definition/check.ts';
import { compileDocument } from './model/definition/compile-plan.ts';
import { findWorkflow } from './model/definition/find-workflow.ts';
import { maxProblems } from './model/definition/problem.ts';

const Problem = described(
  z.object({
    nodeId: z.nullable(anyString),
    severity: z.enum(['error', 'warning']),
    message: anyString,
  }),
  {
    nodeId: 'The node that has it; null if it concerns the whole workflow.',
    severity:
      '`error`: the workflow cannot do what its graph says. `warning`: it can, but this is probably not intended.',
    message: 'What is wrong, in a sentence.',
  },
);

export default operation({
  route: 'GET /api/workflows/{id}/check',
  summary: 'Check a workflow',
  tool: { name: 'check_workflow', when: 'To learn what is wrong with a workflow, and what to do about it.' },
  description: [
    'What would keep the workflow from doing what its graph says, or is probably not intended: mistakes in the graph, with the path of data that is not valid; records that do not exist or that the owner may not use; texts and rights that somebody else changed. [Workflows](#/Workflows) lists them.',
    `Records that nodes name are looked up with the rights of the owner of the workflow, as runs do. A workflow may be saved and enabled with any of these problems: a step that cannot run is then skipped, with the reason. At most ${maxProblems.toLocaleString('en')} problems are listed, and at most ${maxLookedUp} templates, users and workflows each are looked up.`,
  ].join('\n\n'),
  family: 'plain',
  minimumRole: 'SALES_REP',
  output: dataResponse(
    described(z.object({ runnable: anyBoolean, problems: z.array(Problem) }), {
      runnable: 'Whether it has no errors.',
      problems: 'Problems of the whole workflow first, then by node.',
    }),
  ),
  failures: ['NOT_FOUND'],
  example: { path: { id: demo.workflow } },
  uses: { table: 'read', objects: 'storedDocuments', trialPolicy: 'read' },
  async run({ path }, { table, objects, trialPolicy, caller }) {
    const { header, document } = await table.optimistically(() =>
      findWorkflow({ table, objects }, caller, path.id),
    );
    const compiled = compileDocument(document);
    const checked = { header: header.data, compiled };
    const problems = await findProblems({ table, caller, trialPolicy }, checked);
    const runnable = problems.every(({ severity }) => severity !== 'error');
    return ok({ data: { runnable, problems } });
  },
});
