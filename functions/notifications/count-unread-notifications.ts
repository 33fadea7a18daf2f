import { operation } from '../../shared/kernel/operation.ts';
import { dataResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { UnreadCount } from '../../shared/notifications/notification-response.ts';
import { readUnreadCounter } from '../../shared/notifications/unread-counter.ts';

export default operation({
  route: 'GET /api/notifications/unread-count',
  summary: 'Count unread notifications',
  family: 'plain',
  minimumRole: 'SALES_REP',
  output: dataResponse(UnreadCount),
  uses: { table: 'read' },
  async run(_, { table, caller }) {
    const { unread } = await readUnreadCounter(table, caller.userId);
    return ok({ data: { count: unread } });
  },
});
