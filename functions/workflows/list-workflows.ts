import * as z from 'zod/mini';
import { operation } from '../../shared/kernel/operation.ts';
import { nameLimit, trimmedString } from '../../shared/kernel/schemas/fields.ts';
import { pageDescriptions, pageQuery, QueryFlag } from '../../shared/kernel/schemas/paging.ts';
import { readScope } from '../../shared/organizations/visibility.ts';
import { readHeadersPage, readWorkflowResponses } from './model/definition/workflow-page.ts';
import { WorkflowList, workflowList } from './model/definition/workflow-schemas.ts';

export default operation({
  route: 'GET /api/workflows',
  summary: 'List workflows',
  tool: { name: 'list_workflows', when: 'To find a workflow by its name.' },
  description:
    'The workflows that you can see, with their graphs, newest first. A page of more than about 5 MB ends early; `nextCursor` continues it. A workflow whose graph is lost from the object store is left out.',
  family: 'plain',
  minimumRole: 'SALES_REP',
  query: z.object({
    enabled: z.optional(QueryFlag),
    search: z.optional(trimmedString(nameLimit)),
    ...pageQuery,
  }),
  descriptions: {
    enabled: '`true`: only enabled workflows; `false`: only disabled ones.',
    search: 'Text to find in the name, ignoring case and accents.',
    ...pageDescriptions,
  },
  output: WorkflowList,
  example: { query: { search: 'welcome' } },
  uses: { table: 'read', objects: 'storedDocuments' },
  async run({ query }, { table, objects, caller }) {
    const { records, nextCursor } = await readHeadersPage(table, await readScope(caller, table), query);
    return workflowList(await readWorkflowResponses({ table, objects }, records), nextCursor);
  },
});
