import { type StoredEvent, toFrame } from '../../../shared/events/outbox.ts';

/** The frame of live events with the organization: the same bytes on every attempt, because an event never changes. */
export function webhookBody(event: StoredEvent, organizationId: string): string {
  return `${toFrame(event).slice(0, -1)},${JSON.stringify({ organizationId }).slice(1)}`;
}
