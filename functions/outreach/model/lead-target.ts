import { type FieldRules, readFieldRules } from '../../../shared/contacts/checked-fields.ts';
import { phoneLockKey } from '../../../shared/contacts/phone-numbers.ts';
import type { Pipeline } from '../../../shared/contacts/pipeline.ts';
import { pipelinesKey } from '../../../shared/contacts/pipeline.ts';
import type { Ports } from '../../../shared/kernel/operation.ts';
import { businessHours } from '../../../shared/organizations/business-hours.ts';
import { ownerIfEnabled, userKey } from '../../../shared/organizations/user.ts';
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
  /** What its custom data are read with. */
  readonly fieldRules: FieldRules;
  /** Earlier leads of which this one may be a repetition. */
  readonly repetition: Repetition;
}

/**
 * Reads the target of a lead.
 * @param webhookId the header of the delivery.
 * @throws a 404 `Failure` for a missing configuration.
 */
export async function findLeadTarget(
  { identity, organizations }: Ports<{ identity: 'read'; organizations: 'write' }>,
  lead: Lead,
  webhookId: string | undefined,
): Promise<LeadTarget> {
  const { configurationId, phoneNumber } = lead;
  const organization = await identity.read(configurationOrganizationKey(configurationId));
  if (organization === undefined) {
    throw configurationNotFound();
  }
  const table = organizations(organization.data.organizationId);
  const keys = repetitionKeys(lead, webhookId);
  const customFields = Object.fromEntries(lead.customData);
  const [fieldRules, found] = await Promise.all([
    readFieldRules(table, 'contact', { customFields }, true),
    readNamed(table, {
      configuration: configurationKey(configurationId),
      pipelines: pipelinesKey(),
      hours: businessHours.key,
      lock: phoneNumber === undefined ? undefined : phoneLockKey(phoneNumber),
      ...keys,
    }),
  ]);
  const { configuration, pipelines, hours, lock, content, delivery } = found;
  if (configuration === undefined) {
    throw configurationNotFound();
  }
  return {
    table,
    configuration: configuration.data,
    pipelines: pipelines?.data.pipelines ?? [],
    zone: (hours?.data ?? businessHours.initial).timezone,
    lock,
    fieldRules,
    repetition: { keys, content, delivery },
  };
}

/** The configuration's owner if enabled; otherwise null, so that others see the lead. */
export async function findLeadOwner({ table, configuration }: LeadTarget): Promise<string | null> {
  const { ownerId } = configuration;
  return ownerId === null ? null : ownerIfEnabled(await table.read(userKey(ownerId)));
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
