import type { IdentityKey, Key, Range } from '../../../shared/table/key.ts';
import type { Timestamp } from '../../../shared/time.ts';

/** How leads of one source become contacts, as answered. Source: decisions 10 and 12, "Outreach". */
export interface OutreachConfiguration {
  _id: string;
  organizationId: string;
  /** Who made it, and so who makes the contacts and applications of its leads. */
  userId: string;
  name: string;
  /** Of the contacts it makes. */
  source: string | null;
  /** Where new contacts enter; the default stage where null, or gone by then. */
  pipelineId: string | null;
  stageId: string | null;
  ownerId: string | null;
  createApplication: boolean;
  isActive: boolean;
  /** Whether leads must be signed. */
  hasSecret: boolean;
  createdAt: Timestamp;
  updatedAt: Timestamp;
}

export interface StoredConfiguration extends Omit<OutreachConfiguration, 'hasSecret'> {
  /** Of Standard Webhooks. Shown to whoever has it made, once. */
  secret?: string;
}

/** The configuration as answered: without its secret. */
export function toConfigurationResponse({ secret, ...rest }: StoredConfiguration): OutreachConfiguration {
  return { ...rest, hasSecret: secret !== undefined };
}

export const configurationKey = (id: string): Key<StoredConfiguration> => ({
  partition: ['OUTREACH'],
  sort: ['CONFIGURATION', id],
});

export const configurationRange = (): Range<StoredConfiguration> => ({
  partition: ['OUTREACH'],
  under: ['CONFIGURATION'],
});

/** The organization of a configuration: a lead names only the configuration. */
export const configurationOrganizationKey = (id: string): IdentityKey<{ organizationId: string }> => ({
  partition: ['OUTREACH', id],
  sort: ['OUTREACH'],
});
