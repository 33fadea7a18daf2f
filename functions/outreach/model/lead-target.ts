import {
  type HintedContact,
  type HintReading,
  hintedContact,
  readHint,
} from '../../../shared/contact-aggregate/contact-hint.ts';
import { phoneLockKey } from '../../../shared/contacts/phone-numbers.ts';
import type { Ports } from '../../../shared/kernel/operation.ts';
import { remember } from '../../../shared/kernel/remember.ts';
import { type BusinessHours, businessHours } from '../../../shared/organizations/business-hours.ts';
import { ownerIfEnabled, type User, userKey } from '../../../shared/organizations/user.ts';
import type { Pipeline, Pipelines } from '../../../shared/pipelines/pipeline.ts';
import { pipelinesKey } from '../../../shared/pipelines/pipeline.ts';
import type { Key } from '../../../shared/table/key.ts';
import type { Stored, TableReader, TableWriter } from '../../../shared/table/table.ts';
import type { StoredConfiguration } from './configuration.ts';
import { configurationKey, configurationOrganizationKey } from './configuration.ts';
import { configurationNotFound } from './configurations.ts';
import { deliveryKey, type ReceivedLead } from './delivery.ts';
import type { Lead } from './lead.ts';

/** The target of a lead, with what was read about it. */
export interface LeadTarget {
  readonly table: TableWriter;
  readonly configuration: StoredConfiguration;
  readonly pipelines: readonly Pipeline[];
  /** The time zone of the organization, whose day counts the lead. */
  readonly zone: string;
  /** The lock of the lead's number; undefined for an unknown number. */
  readonly lock: Stored<never> | undefined;
  /** Which contact last came with this number by this configuration. */
  readonly hint: HintReading;
  /** That contact, which probably still has the number. */
  readonly hinted: HintedContact | undefined;
  /** Where a signed delivery is remembered, and its result if it came before; undefined where leads are not signed. */
  readonly delivery:
    | { readonly key: Key<ReceivedLead>; readonly earlier: ReceivedLead | undefined }
    | undefined;
  /** The configuration's owner if enabled; otherwise null, so that others see the lead. */
  owner(): Promise<string | null>;
}

/** What a warm process caches of a configuration. Its organization never changes; its owner may, and is compared. */
type Address = Pick<StoredConfiguration, 'organizationId' | 'ownerId'>;

const capacity = 1_000;
const cached = new Map<string, Address>();

/**
 * Reads the target of a lead, in one request if the process has cached the configuration, in two otherwise.
 * @param webhookId the header of a signed delivery.
 * @throws a 404 `Failure` for a missing configuration.
 */
export async function leadTargetOf(
  {
    identity,
    organizations,
    platform,
  }: Ports<{ identity: 'read'; organizations: 'write'; platform: 'write' }>,
  { configurationId, phoneNumber }: Pick<Lead, 'configurationId' | 'phoneNumber'>,
  webhookId: string | undefined,
): Promise<LeadTarget> {
  const hint = readHint(platform, configurationId, phoneNumber);
  const known = cached.get(configurationId);
  const address = known ?? (await addressOf(identity, configurationId));
  const table = organizations(address.organizationId);
  const ownerKeys = address.ownerId === null ? [] : [userKey(address.ownerId)];
  const delivery = webhookId ? deliveryKey(configurationId, webhookId) : undefined;
  // A process that knows the configuration reads the contact as early without this, and then only for a lead that is signed.
  const readsAhead = known === undefined;
  const hintRead = hintedContact(table, hint, { readsAhead });
  if (readsAhead) {
    await hintRead; // It was read beside the organization.
  }
  const [found, hinted] = await Promise.all([
    table.readMany<unknown>([
      configurationKey(configurationId),
      phoneLockKey(phoneNumber),
      pipelinesKey(),
      businessHours.key,
      ...ownerKeys,
      ...(delivery === undefined ? [] : [delivery]),
    ]),
    hintRead,
  ]);
  const [stored, lock, pipelines, hours, supposedOwner] = found as [
    Found<StoredConfiguration>,
    Found<never>,
    Found<Pipelines>,
    Found<BusinessHours>,
    Found<User>,
  ];
  const earlier = found[4 + ownerKeys.length] as Found<ReceivedLead>;
  if (stored === undefined) {
    throw configurationNotFound();
  }
  const configuration = stored.data;
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
    // Anybody can send an unsigned id.
    delivery:
      configuration.secret === undefined || delivery === undefined
        ? undefined
        : { key: delivery, earlier: earlier?.data },
    async owner() {
      if (ownerId === null) {
        return null;
      }
      return ownerIfEnabled(ownerId === address.ownerId ? supposedOwner : await table.read(userKey(ownerId)));
    },
  };
}

/** In the order of the keys. */
type Found<Data> = Stored<Data> | undefined;

async function addressOf(identity: TableReader<'identity'>, configurationId: string): Promise<Address> {
  const stored = await identity.read(configurationOrganizationKey(configurationId));
  if (stored === undefined) {
    throw configurationNotFound();
  }
  return { ...stored.data, ownerId: null };
}
