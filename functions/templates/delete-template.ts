import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { messageResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { findChangeableTemplate } from '../../shared/messages/template.ts';
import { templateWrites } from './model/template-writes.ts';

export default operation({
  route: 'DELETE /api/user/sms-templates/{id}',
  summary: 'Delete a template',
  description: 'Only its creator may do this, or an ADMIN if the organization shares the template.',
  family: 'plain',
  minimumRole: 'SALES_REP',
  output: messageResponse(),
  failures: ['NOT_FOUND', 'FORBIDDEN'],
  example: { path: { id: demo.spareTemplate } },
  uses: { table: 'write' },
  async run({ path }, { table, caller }) {
    return table.optimistically(async () => {
      const stored = await findChangeableTemplate(table, caller, path.id);
      await table.commit(templateWrites(table, stored, undefined));
      return ok({ message: 'Template deleted' });
    });
  },
});
