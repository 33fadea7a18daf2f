import { toProgress } from '../../functions/messages/model/progress.ts';
import { type MessageRef, recordProgress } from '../../functions/messages/model/record-progress.ts';
import { messageKey } from '../../shared/conversations/conversation.ts';
import type { Ports } from '../../shared/kernel/operation.ts';
import { newInvocation, systemRuntime } from '../../shared/kernel/serve/invocation.ts';
import { timestamp } from '../../shared/kernel/time.ts';
import { newConversation } from '../conversations/client.ts';
import { arrange, type Tenants } from '../harness/tenants.ts';
import { newSid } from './webhook-client.ts';

/** Records that the provider has taken a message: otherwise reports about it could be anybody's. */
async function recordTaken({ product, rep }: Tenants, place: MessageRef, sid: string): Promise<void> {
  const { clock, ports } = newInvocation(systemRuntime, {
    ...product.providers,
    objects: await product.objects.provider('downloads'),
  });
  const uses = { organizations: 'write', platform: 'write', objects: 'downloads' } as const;
  const { organizations, platform, objects } = ports(uses, undefined) as Ports<typeof uses>;
  const table = organizations(rep.organizationId);
  const taken = toProgress({ status: 'sent', providerMessageId: sid }, timestamp(clock.now));
  await recordProgress({ table, platform, downloads: objects(rep.organizationId), ...clock }, place, taken);
}

/** A message of `rep` of which its provider has told this much, by the address that it was given. */
export async function reportedMessage(
  tenants: Tenants,
  report: { MessageStatus: string; ErrorCode?: string },
  more: Record<string, unknown> = {},
) {
  const { product, rep } = tenants;
  const ids = await newConversation(tenants, more);
  const { conversationId, messageId } = ids;
  const { table } = product.tableOf(rep.organizationId);
  const from = (await table.read(messageKey(conversationId, messageId)))?.data.from;
  const sid = newSid();
  await recordTaken(tenants, ids, sid);
  await arrange(
    product.call('receive-status', {
      path: { provider: 'twilio' },
      query: {
        organization: rep.organizationId,
        conversation: conversationId,
        message: messageId,
        ...(from && { from }),
      },
      body: { MessageSid: sid, ...report },
    }),
  );
  return { ...ids, sid };
}

/** A message of `rep` that was not delivered. */
export const failedMessage = (tenants: Tenants, more?: Record<string, unknown>) =>
  reportedMessage(tenants, { MessageStatus: 'failed', ErrorCode: '30007' }, more);
