import * as demo from '../../shared/demo-ids.ts';
import { messageAnswer } from '../../shared/kernel/envelope.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { optimistically } from '../../shared/table/optimistic.ts';
import { changeableTemplate } from '../../shared/templates/template.ts';
import { shelvingSteps } from './model/template-writes.ts';

export default operation({
  route: 'DELETE /api/user/sms-templates/{id}',
  summary: 'Delete a template',
  description: 'For its maker; for templates of the organization also for an ADMIN.',
  family: 'plain',
  minimumRole: 'SALES_REP',
  output: messageAnswer(),
  failures: ['NOT_FOUND', 'FORBIDDEN'],
  example: { path: { id: demo.spareTemplate } },
  uses: { table: 'write' },
  async run({ path }, { table, caller, random }) {
    return optimistically(random, async () => {
      const stored = await changeableTemplate(table, caller, path.id);
      await table.commit(shelvingSteps(table, stored, undefined));
      return { success: true as const, message: 'Template deleted' };
    });
  },
});
