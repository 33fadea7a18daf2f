import { operation } from '../../shared/kernel/operation.ts';
import { changeResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { UnreadCount } from '../../shared/notifications/notification-response.ts';
import { clear } from '../../shared/notifications/unread-counter.ts';

export default operation({
  route: 'POST /api/notifications/read-all',
  summary: 'Mark all notifications as read',
  description:
    'Marks every notification that you have; those that arrive meanwhile stay unread. Returns how many are unread afterwards.',
  family: 'plain',
  minimumRole: 'SALES_REP',
  output: changeResponse(UnreadCount),
  uses: { table: 'write' },
  async run(_, { table, caller, now }) {
    const { unread } = await clear(table, caller.userId, now);
    return ok({ message: 'All notifications marked as read', data: { count: unread } });
  },
});
