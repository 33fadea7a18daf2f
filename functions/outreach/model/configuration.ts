import type { SecretLocation, StoredSecret } from '../../../shared/kernel/secrets/sealed-secrets.ts';
import type { Timestamp } from '../../../shared/kernel/time.ts';
import type { IdentityKey, Key, Range } from '../../../shared/table/key.ts';

/** How leads of one source become contacts, in responses. Source: decisions 10 and 12, "Outreach". */
export interface OutreachConfiguration {
  _id: string;
  organizationId: string;
  /** Its creator, who also counts as the creator of its leads' contacts and applications. */
  userId: string;
  name: string;
  /** The source of its contacts. */
  source: string | null;
  /** The stage for new contacts, as `entryStage` finds one. */
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
  /** A Standard Webhooks secret; only the response that sets it shows it. */
  secret?: StoredSecret;
}

/** Leaves out the secret. */
export function toConfigurationResponse({ secret, ...rest }: StoredConfiguration): OutreachConfiguration {
  return { ...rest, hasSecret: secret !== undefined };
}

/** Where the secret of a configuration belongs. */
export const configurationSecretLocation = ({
  _id,
  organizationId,
}: Pick<StoredConfiguration, '_id' | 'organizationId'>): SecretLocation => ({
  organizationId,
  record: ['OUTREACH', _id],
});

export const configurationKey = (id: string): Key<StoredConfiguration> => ({
  partition: ['OUTREACH'],
  sort: ['CONFIGURATION', id],
});

export const configurationRange = (): Range<StoredConfiguration> => ({
  partition: ['OUTREACH'],
  under: ['CONFIGURATION'],
});

/** The organization of a configuration, because a lead names only the configuration. */
export const configurationOrganizationKey = (id: string): IdentityKey<{ organizationId: string }> => ({
  partition: ['OUTREACH', id],
  sort: ['OUTREACH'],
});
