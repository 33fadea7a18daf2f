import * as z from 'zod/mini';
import { operation } from '../../shared/kernel/operation.ts';
import { ok } from '../../shared/kernel/schemas/envelope.ts';
import { anyString } from '../../shared/kernel/schemas/fields.ts';
import { listResponse, pageDescriptions, pageQuery } from '../../shared/kernel/schemas/paging.ts';
import {
  receiptRange,
  receiptStatuses,
  unassignedReceiptRange,
  type WebhookReceipt,
} from '../../shared/messages/webhook-receipt.ts';
import type { Range } from '../../shared/table/key.ts';
import { readMergedPage } from '../../shared/table/merged-page.ts';
import type { PageOptions, TableReader } from '../../shared/table/table.ts';
import { ReceiptResponse } from './model/receipt-response.ts';

export default operation({
  route: 'GET /api/webhook-receipts',
  summary: 'List receipts of webhooks',
  description:
    'Newest first: what came in by the webhooks for texts, calls, reports and leads of your organization, and was deferred or kept. What was applied at once has no receipt. For 30 days. A SUPERADMIN also sees what came for numbers that nobody has. [Receipts](#/Receipts) says which receipts there are.',
  family: 'plain',
  minimumRole: 'ADMIN',
  query: z.object({
    provider: z.optional(anyString.check(z.maxLength(200))),
    status: z.optional(z.enum(receiptStatuses)),
    ...pageQuery,
  }),
  descriptions: {
    provider: 'Only what came by the webhooks of this provider.',
    status: 'Only receipts with this status.',
    ...pageDescriptions,
  },
  output: listResponse(ReceiptResponse),
  uses: { table: 'read', platform: 'read' },
  async run({ query: { provider, status, limit, cursor } }, { table, platform, caller }) {
    const isSuperadmin = caller.role === 'SUPERADMIN';
    const { records, nextCursor } = await readMergedPage(
      isSuperadmin ? withUnassigned(table, platform) : table,
      isSuperadmin ? [receiptRange(), unassigned] : [receiptRange()],
      {
        ...{ limit, cursor },
        matches: (receipt) =>
          (provider === undefined || receipt.provider === provider) &&
          (status === undefined || receipt.status === status),
      },
    );
    return ok({ data: records.map(({ data }) => data), nextCursor });
  },
});

/** The range of what nobody has, in the place of a range of the organization. */
const unassigned = unassignedReceiptRange() as unknown as Range<WebhookReceipt>;

/** The table of the organization, in which one range is that of what nobody has. */
function withUnassigned(table: TableReader, platform: TableReader<'platform'>): TableReader {
  return {
    ...table,
    page: <Data>(range: Range<Data>, options: PageOptions<Data>) =>
      range.partition === unassigned.partition
        ? (platform as unknown as TableReader).page(range, options)
        : table.page(range, options),
  };
}
