import { findChangeableSegment } from '../../shared/board/segment.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { messageResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { uncountAction } from './model/segment-limit.ts';

export default operation({
  route: 'DELETE /api/segments/{id}',
  summary: 'Delete a segment',
  description: 'Its contacts stay. Only its creator may do this, or an ADMIN if it is shared.',
  family: 'contacts',
  minimumRole: 'SALES_REP',
  output: messageResponse(),
  failures: ['NOT_FOUND', 'FORBIDDEN'],
  example: { path: { id: demo.spareSegment } },
  uses: { table: 'write' },
  async run({ path }, { table, caller }) {
    return table.optimistically(async () => {
      const { key, version } = await findChangeableSegment(table, caller, path.id);
      await table.commit([table.delete(key, { ifVersion: version }), uncountAction(table)]);
      return ok({ message: 'Segment deleted' });
    });
  },
});
