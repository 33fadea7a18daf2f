import createOutreachConfiguration from '../../../functions/outreach/create-outreach-configuration.ts';
import { newWebhookSecret } from '../../../functions/outreach/model/standard-webhooks.ts';
import receiveLead from '../../../functions/outreach/receive-lead.ts';
import updateOutreachConfiguration from '../../../functions/outreach/update-outreach-configuration.ts';
import { primaryNumber } from '../../../shared/contacts/contact.ts';
import * as demo from '../../../shared/kernel/demo-ids.ts';
import { after, day } from '../../../shared/kernel/time.ts';
import { tellOfLead } from './notifications.ts';
import type { Past } from './past.ts';
import { fixedIds } from './randomness.ts';
import type { SeedContact } from './seed-contacts.ts';

/** The lead sources. A recent contact from one of them comes from a lead. `later` is the final change of the configuration. */
const configurations = [
  {
    _id: demo.outreachConfiguration,
    body: { name: 'Website form', source: 'Website', ownerId: demo.rep, createApplication: true },
  },
  {
    _id: fixedIds(4)(),
    body: { name: 'Newsletter sign-up', source: 'Newsletter', ownerId: demo.head },
    later: { secret: newWebhookSecret((size) => Buffer.alloc(size, 'demo')) },
  },
  {
    _id: demo.spareOutreachConfiguration,
    body: { name: 'Trade fair scanner', source: 'Trade fair', ownerId: demo.matteo },
    later: { isActive: false },
  },
];

/** The default range of the metrics. */
const leadSpan = 30 * day;

export async function createOutreachConfigurations(past: Past, at: Date): Promise<void> {
  for (const { _id, body } of configurations) {
    await past.run(createOutreachConfiguration, { at, by: demo.admin, body, ids: [_id] });
  }
}

/** After the last lead, makes one source sign its leads, and deactivates another. */
export async function changeOutreachConfigurations(past: Past): Promise<void> {
  for (const { _id: id, later } of configurations) {
    if (later !== undefined) {
      await past.run(updateOutreachConfiguration, {
        at: past.now,
        by: demo.admin,
        path: { id },
        body: later,
      });
    }
  }
}

/** The contact as its lead creates it, if it came from a lead source: with the configuration's creator and owner. */
export function asLead(seedContact: SeedContact, now: Date): SeedContact {
  const { createdAt, fields } = seedContact;
  const configuration = configurations.find(({ body }) => body.source === fields.source);
  const isLead =
    createdAt > after(now, -leadSpan) && fields.lastName !== '' && (fields.phoneNumbers ?? []).length > 0;
  return configuration === undefined || !isLead
    ? seedContact
    : {
        ...seedContact,
        createdBy: demo.admin,
        fields: { ...fields, owner: configuration.body.ownerId, assignees: [] },
        configurationId: configuration._id,
      };
}

/** Sends the lead that creates the contact, which has no messages yet, and often a later one. */
export async function receiveLeads(
  past: Past,
  { _id, createdAt, fields }: SeedContact,
  configurationId: string,
): Promise<readonly []> {
  const { firstName, lastName, email, customFields: customData } = fields;
  const phoneNumber = primaryNumber(fields.phoneNumbers ?? []);
  const body = { configurationId, phoneNumber, firstName, lastName, email, customData };
  await past.run(receiveLead, { at: createdAt, body, ids: [_id] });
  await tellOfLead(past, _id, fields.owner, createdAt);
  if (past.random.chance(0.4)) {
    await past.run(receiveLead, { at: past.random.momentBetween(createdAt, past.now), body });
  }
  return [];
}
