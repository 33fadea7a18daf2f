import type { StoredConfiguration } from '../../../functions/outreach/model/configuration.ts';
import {
  configurationKey,
  configurationOrganizationKey,
} from '../../../functions/outreach/model/configuration.ts';
import { newConfiguration } from '../../../functions/outreach/model/edit-configuration.ts';
import { counterOf, dayOf, type LeadGroup } from '../../../functions/outreach/model/lead-counting.ts';
import { newWebhookSecret } from '../../../functions/outreach/model/standard-webhooks.ts';
import type { StoredApplication } from '../../../shared/applications/application.ts';
import { shardOf } from '../../../shared/board/card.ts';
import type { StoredContact } from '../../../shared/contacts/contact.ts';
import * as demo from '../../../shared/demo-ids.ts';
import { after, timestamp } from '../../../shared/kernel/time.ts';
import type { Step, TableWriter } from '../../../shared/table/table.ts';
import type { Founded } from './accounts.ts';
import type { LoadedTable } from './connection.ts';
import type { Randomness } from './randomness.ts';

/** Sources of the demo contacts; whoever came from one of them came as its lead. */
const samples = [
  {
    _id: demo.outreachConfiguration,
    name: 'Website form',
    source: 'Website',
    createApplication: true,
    isActive: true,
    isSigned: false,
  },
  {
    name: 'Newsletter sign-up',
    source: 'Newsletter',
    createApplication: false,
    isActive: true,
    isSigned: true,
  },
  {
    _id: demo.spareOutreachConfiguration,
    name: 'Trade fair scanner',
    source: 'Trade fair',
    createApplication: false,
    isActive: false,
    isSigned: false,
  },
];

interface Comer {
  readonly contact: StoredContact;
  readonly applications: readonly StoredApplication[];
}

/** Outreach configurations, and the counters that the leads of these contacts would have left. */
export function outreachSteps(
  { identity, organization: tableOf }: LoadedTable,
  { organization, users }: Founded,
  comers: readonly Comer[],
  now: Date,
  random: Randomness,
): Step[] {
  const table = tableOf(organization._id);
  const maker = users.find(({ accessRole }) => accessRole === 'ADMIN')?._id ?? '';
  return samples.flatMap(({ _id = random.idAt(new Date(organization.createdAt)), isSigned, ...sample }) => {
    const at = new Date(organization.createdAt);
    const fields = { _id, organizationId: organization._id, userId: maker };
    const configuration: StoredConfiguration = {
      ...newConfiguration({ ...fields, name: sample.name }, timestamp(at)),
      ...sample,
      ...(isSigned ? { secret: newWebhookSecret((size) => bytes(size, random)) } : {}),
    };
    const own = comers.filter(
      ({ contact }) => contact.source === sample.source && contact.phoneNumbers.length > 0,
    );
    return [
      table.add(configurationKey(configuration._id), configuration),
      identity.add(configurationOrganizationKey(configuration._id), {
        organizationId: organization._id,
      }),
      ...counterSteps(
        table,
        own.flatMap((comer) => leadsOf(comer, configuration, now, random)),
      ),
    ];
  });
}

interface PastLead {
  readonly group: LeadGroup;
  readonly shard: number;
  readonly isNew: boolean;
  readonly applications: number;
}

/** The lead that made the contact, and often a later one. */
function leadsOf(
  { contact, applications }: Comer,
  { _id: configurationId, source, createApplication }: StoredConfiguration,
  now: Date,
  random: Randomness,
): PastLead[] {
  const cameAt = new Date(contact.createdAt);
  const age = now.getTime() - cameAt.getTime();
  const again = random.chance(0.4) ? [after(cameAt, Math.floor(age * random.next()))] : [];
  return [cameAt, ...again].map((at, index) => ({
    group: { day: dayOf(timestamp(at)), configurationId, ownerId: contact.owner, source },
    shard: shardOf(contact._id),
    isNew: index === 0,
    applications: createApplication && index === 0 && applications.length > 0 ? 1 : 0,
  }));
}

/** Sets numbers rather than adding to them, so that a repetition counts nothing twice. */
function counterSteps(table: TableWriter, leads: readonly PastLead[]): Step[] {
  const byCounter = Map.groupBy(leads, ({ group, shard }) => JSON.stringify([group, shard]));
  return [...byCounter.values()].flatMap((some) => {
    const [one] = some;
    if (one === undefined) {
      return [];
    }
    const values = {
      source: one.group.source ?? '',
      leads: some.length,
      fresh: some.filter(({ isNew }) => isNew).length,
      applications: some.reduce((sum, { applications }) => sum + applications, 0),
    };
    return table.updateStep(counterOf(one.group, one.shard), {
      update: 'SET leadSource = :source, leads = :leads, newContacts = :fresh, applications = :applications',
      values,
    });
  });
}

function bytes(size: number, random: Randomness): Uint8Array {
  return Uint8Array.from({ length: size }, () => random.below(256));
}
