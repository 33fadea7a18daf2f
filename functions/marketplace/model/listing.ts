import type { Key, Range } from '../../../shared/table/key.ts';
import type { Timestamp } from '../../../shared/time.ts';

/** What an organization offers. Source: decisions 10, "Marketplace". */
export interface Listing {
  _id: string;
  organizationId: string;
  /** Who made it. */
  userId: string;
  name: string;
  description: string;
  /** Whatever the client keeps in it. */
  content: Record<string, unknown>;
  createdAt: Timestamp;
  updatedAt: Timestamp;
}

export const listingKey = (id: string): Key<Listing> => ({
  partition: ['MARKETPLACE'],
  sort: ['LISTING', id],
});

export const listingRange = (): Range<Listing> => ({ partition: ['MARKETPLACE'], under: ['LISTING'] });
