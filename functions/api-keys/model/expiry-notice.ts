import type { DueEntry } from '../../../shared/events/due-entry.ts';
import { after, day, timestamp } from '../../../shared/kernel/time.ts';
import type { ApiKey } from '../../../shared/organizations/api-key.ts';

/** How long before its end the administrators are told of it. */
const notice = 7 * day;

/** The notice of a key's end; undefined for one that never ends, or so soon that whoever makes it knows. */
export function expiryNotice(
  organizationId: string,
  { _id, expiresAt, createdAt }: ApiKey,
): DueEntry | undefined {
  const at = expiresAt === null ? undefined : timestamp(after(new Date(expiresAt), -notice));
  return at === undefined || at <= createdAt
    ? undefined
    : { kind: 'apiKeyExpiry', at, organizationId, group: _id, id: _id };
}
