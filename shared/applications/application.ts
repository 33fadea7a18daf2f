import type { Timestamp } from '../time.ts';

/** An application of a contact in a pipeline of its own, as stored. Source: decisions 10, "Application". */
export interface StoredApplication {
  _id: string;
  organizationId: string;
  contactId: string;
  /** Who made it. */
  userId: string;
  name: string;
  pipelineId: string;
  stageId: string;
  customFields: Record<string, unknown>;
  /** The outreach configuration it came from; one application for each and contact. */
  configurationId?: string;
  /** Where it stood, and since when; oldest first. */
  history: { stageId: string; stage: string; userId: string; at: Timestamp }[];
  createdAt: Timestamp;
  updatedAt: Timestamp;
}

/** Applications of one contact: each is filed again, in the same transaction, when the contact changes. */
export const applicationLimit = 5;
