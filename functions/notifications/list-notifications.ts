import * as z from 'zod/mini';
import { operation } from '../../shared/kernel/operation.ts';
import { ok } from '../../shared/kernel/schemas/envelope.ts';
import { listResponse, pageDescriptions, pageQuery, QueryFlag } from '../../shared/kernel/schemas/paging.ts';
import { NotificationResponse } from '../../shared/notifications/notification-response.ts';
import { readNotificationPage } from './model/notification-page.ts';

export default operation({
  route: 'GET /api/notifications',
  summary: 'List notifications',
  description:
    'Your own notifications, newest first. A SUPERADMIN who acts in another organization has none there.',
  family: 'plain',
  minimumRole: 'SALES_REP',
  query: z.object({ unread: z.optional(QueryFlag), ...pageQuery }),
  descriptions: {
    unread: '`true`: only unread notifications; `false`: only read ones.',
    ...pageDescriptions,
  },
  output: listResponse(NotificationResponse),
  example: { query: { unread: 'true' } },
  uses: { table: 'read' },
  async run({ query }, { table, caller }) {
    const { notifications, nextCursor } = await readNotificationPage(table, caller.userId, query);
    return ok({ data: [...notifications], nextCursor });
  },
});
