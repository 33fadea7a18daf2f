import type { Timestamp } from '../../../shared/kernel/time.ts';
import type { Key, Range } from '../../../shared/table/key.ts';

/** An offer of an organization. Source: decisions 10, "Marketplace". */
export interface Listing {
  _id: string;
  organizationId: string;
  /** The creator. */
  userId: string;
  name: string;
  description: string;
  /** Any JSON of the client. */
  content: Record<string, unknown>;
  createdAt: Timestamp;
  updatedAt: Timestamp;
}

export const listingKey = (id: string): Key<Listing> => ({
  partition: ['MARKETPLACE'],
  sort: ['LISTING', id],
});

export const listingRange = (): Range<Listing> => ({ partition: ['MARKETPLACE'], under: ['LISTING'] });
