import type { Person, Product } from '../harness/product.ts';
import { everyPage, expectStatus } from '../harness/tenants.ts';

/** A notification as answered. */
export interface NotificationRecord {
  _id: string;
  userId: string;
  type: string;
  title: string;
  message: string;
  contactId?: string;
  noteId?: string;
  reminderId?: string;
  conversationId?: string;
  messageId?: string;
  count?: number;
  callId?: string;
  workflowId?: string;
  isRead: boolean;
  createdAt: string;
}

/** A page of a person's notifications; reading it must succeed. */
export async function readNotifications(
  product: Product,
  { token }: Person,
  query: Record<string, string> = {},
): Promise<{ data: NotificationRecord[]; nextCursor: string | null }> {
  return expectStatus(await product.call('list-notifications', { token, query }), 200);
}

/** Every notification that a query finds, page by page. */
export function readEveryNotification(
  product: Product,
  { token }: Person,
  query: Record<string, string> = {},
): Promise<NotificationRecord[]> {
  return everyPage((page) => product.call('list-notifications', { token, query: page }), query);
}

export async function countUnread(product: Product, { token }: Person): Promise<number> {
  return expectStatus(await product.call('count-unread-notifications', { token }), 200).data.count;
}

export function markRead(product: Product, { token }: Person, id: string) {
  return product.call('mark-notification-read', { token, path: { id } });
}

export function markAllRead(product: Product, { token }: Person) {
  return product.call('mark-all-notifications-read', { token });
}
