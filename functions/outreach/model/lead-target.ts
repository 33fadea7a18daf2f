import { type PhoneLock, phoneLockKey } from '../../../shared/contacts/phone-numbers.ts';
import { LruCache } from '../../../shared/kernel/lru-cache.ts';
import type { Ports } from '../../../shared/kernel/operation.ts';
import type { User } from '../../../shared/organizations/user.ts';
import { userKey } from '../../../shared/organizations/user.ts';
import type { Pipeline, Pipelines } from '../../../shared/pipelines/pipeline.ts';
import { pipelinesKey } from '../../../shared/pipelines/pipeline.ts';
import type { Stored, TableReader, TableWriter } from '../../../shared/table/table.ts';
import type { StoredConfiguration } from './configuration.ts';
import { configurationKey, configurationOrganizationKey } from './configuration.ts';
import { configurationNotFound } from './configurations.ts';
import type { Lead } from './lead.ts';

/** Where a lead goes, and what it meets there. */
export interface LeadTarget {
  readonly table: TableWriter;
  readonly configuration: StoredConfiguration;
  readonly pipelines: readonly Pipeline[];
  /** What locks the lead's number; undefined when nobody has it. */
  readonly lock: Stored<PhoneLock> | undefined;
  /** The owner that the configuration names, while that is a user who can sign in; else nobody, so that others see the lead. */
  owner(): Promise<string | null>;
}

/** Of a configuration, what a warm process remembers: its organization never changes; its owner is read on trust, and compared. */
type Address = Pick<StoredConfiguration, 'organizationId' | 'ownerId'>;

const remembered = new LruCache<Address>(1_000);

/**
 * Reads where a lead goes, in one request where the process has seen the configuration before, in two otherwise.
 * @throws the 404 of a missing configuration.
 */
export async function leadTargetOf(
  { identity, organizations }: Ports<{ identity: 'read'; organizations: 'write' }>,
  { configurationId, phoneNumber }: Lead,
): Promise<LeadTarget> {
  const address = remembered.get(configurationId) ?? (await addressOf(identity, configurationId));
  const table = organizations(address.organizationId);
  const [stored, lock, pipelines, supposedOwner] = (await table.readMany<unknown>([
    configurationKey(configurationId),
    phoneLockKey(phoneNumber),
    pipelinesKey(),
    ...(address.ownerId === null ? [] : [userKey(address.ownerId)]),
  ])) as [Found<StoredConfiguration>, Found<PhoneLock>, Found<Pipelines>, Found<User>];
  if (stored === undefined) {
    throw configurationNotFound();
  }
  const configuration = stored.data;
  const { organizationId, ownerId } = configuration;
  remembered.set(configurationId, { organizationId, ownerId });
  return {
    table,
    configuration,
    pipelines: pipelines?.data.pipelines ?? [],
    lock,
    async owner() {
      if (ownerId === null) {
        return null;
      }
      const user = ownerId === address.ownerId ? supposedOwner : await table.read(userKey(ownerId));
      return user === undefined || user.data.disabled ? null : ownerId;
    },
  };
}

/** In the order of the keys asked for. */
type Found<Data> = Stored<Data> | undefined;

async function addressOf(identity: TableReader<'identity'>, configurationId: string): Promise<Address> {
  const stored = await identity.read(configurationOrganizationKey(configurationId));
  if (stored === undefined) {
    throw configurationNotFound();
  }
  return { ...stored.data, ownerId: null };
}
