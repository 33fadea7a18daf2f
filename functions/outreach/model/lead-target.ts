import {
  type HintedContact,
  type HintReading,
  hintedContact,
  readHint,
} from '../../../shared/contact-aggregate/contact-hint.ts';
import { phoneLockKey } from '../../../shared/contacts/phone-numbers.ts';
import type { Ports } from '../../../shared/kernel/operation.ts';
import { remember } from '../../../shared/kernel/remember.ts';
import { businessHours } from '../../../shared/organizations/business-hours.ts';
import { ownerIfEnabled, userKey } from '../../../shared/organizations/user.ts';
import type { Pipeline } from '../../../shared/pipelines/pipeline.ts';
import { pipelinesKey } from '../../../shared/pipelines/pipeline.ts';
import type { Key } from '../../../shared/table/key.ts';
import type { Stored, TableReader, TableWriter } from '../../../shared/table/table.ts';
import type { StoredConfiguration } from './configuration.ts';
import { configurationKey, configurationOrganizationKey } from './configuration.ts';
import { configurationNotFound } from './configurations.ts';
import { type Repetition, repetitionKeys } from './earlier-lead.ts';
import type { Lead } from './lead.ts';

/** The target of a lead, with what was read about it. */
export interface LeadTarget {
  readonly table: TableWriter;
  readonly configuration: StoredConfiguration;
  readonly pipelines: readonly Pipeline[];
  /** The time zone of the organization, whose day counts the lead. */
  readonly zone: string;
  /** The lock of the lead's number; undefined for an unknown number, and for a lead without one. */
  readonly lock: Stored<never> | undefined;
  /** Which contact last came with this number by this configuration; undefined for a lead without a number. */
  readonly hint: HintReading | undefined;
  /** That contact, which probably still has the number. */
  readonly hinted: HintedContact | undefined;
  /** Earlier leads of which this one may be a repetition. */
  readonly repetition: Repetition;
  /** The configuration's owner if enabled; otherwise null, so that others see the lead. */
  owner(): Promise<string | null>;
}

/** What a warm process caches of a configuration. Its organization never changes; its owner may, and is compared. */
type Address = Pick<StoredConfiguration, 'organizationId' | 'ownerId'>;

const capacity = 1_000;
const cached = new Map<string, Address>();

/**
 * Reads the target of a lead, in one request if the process has cached the configuration, in two otherwise.
 * @param webhookId the header of the delivery.
 * @throws a 404 `Failure` for a missing configuration.
 */
export async function leadTargetOf(
  {
    identity,
    organizations,
    platform,
  }: Ports<{ identity: 'read'; organizations: 'write'; platform: 'write' }>,
  lead: Lead,
  webhookId: string | undefined,
): Promise<LeadTarget> {
  const { configurationId, phoneNumber } = lead;
  const hint = phoneNumber === undefined ? undefined : readHint(platform, configurationId, phoneNumber);
  const known = cached.get(configurationId);
  const address = known ?? (await addressOf(identity, configurationId));
  const table = organizations(address.organizationId);
  const keys = repetitionKeys(lead, webhookId);
  // A process that knows the configuration reads the contact as early without this, and then only for a lead that is signed.
  const readsAhead = known === undefined;
  const hintRead = hintedContact(table, hint, { readsAhead });
  if (readsAhead) {
    await hintRead; // It was read beside the organization.
  }
  const [found, hinted] = await Promise.all([
    readNamed(table, {
      configuration: configurationKey(configurationId),
      pipelines: pipelinesKey(),
      hours: businessHours.key,
      lock: phoneNumber === undefined ? undefined : phoneLockKey(phoneNumber),
      owner: address.ownerId === null ? undefined : userKey(address.ownerId),
      ...keys,
    }),
    hintRead,
  ]);
  const { pipelines, hours, lock, content, delivery } = found;
  const configuration = found.configuration?.data;
  if (configuration === undefined) {
    throw configurationNotFound();
  }
  const { organizationId, ownerId } = configuration;
  remember(cached, configurationId, { organizationId, ownerId }, capacity);
  return {
    table,
    configuration,
    pipelines: pipelines?.data.pipelines ?? [],
    zone: (hours?.data ?? businessHours.initial).timezone,
    lock,
    hint,
    hinted,
    repetition: { keys, content, delivery },
    async owner() {
      if (ownerId === null) {
        return null;
      }
      return ownerIfEnabled(ownerId === address.ownerId ? found.owner : await table.read(userKey(ownerId)));
    },
  };
}

/** Reads the records of these keys in one request. None is at a key that is undefined. */
async function readNamed<Keys extends Readonly<Record<string, Key<unknown> | undefined>>>(
  table: TableReader,
  keys: Keys,
): Promise<{ [Name in keyof Keys]: Keys[Name] extends Key<infer Data> | undefined ? Found<Data> : never }> {
  const named = Object.entries(keys).flatMap(([name, key]) => (key === undefined ? [] : [{ name, key }]));
  const found = await table.readMany(named.map(({ key }) => key));
  return Object.fromEntries(named.map(({ name }, index) => [name, found[index]])) as never;
}

type Found<Data> = Stored<Data> | undefined;

async function addressOf(identity: TableReader<'identity'>, configurationId: string): Promise<Address> {
  const stored = await identity.read(configurationOrganizationKey(configurationId));
  if (stored === undefined) {
    throw configurationNotFound();
  }
  return { ...stored.data, ownerId: null };
}
