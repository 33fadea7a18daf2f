import createAiModel from '../../../functions/ai/create-ai-model.ts';
import inviteUser from '../../../functions/auth/invite-user.ts';
import createListing from '../../../functions/marketplace/create-listing.ts';
import assignPhoneNumber from '../../../functions/organizations/assign-phone-number.ts';
import updateBusinessHours from '../../../functions/organizations/update-business-hours.ts';
import updateMissedCallMessage from '../../../functions/organizations/update-missed-call-message.ts';
import updateMissedCallPolicy from '../../../functions/organizations/update-missed-call-policy.ts';
import updateOrganization from '../../../functions/organizations/update-organization.ts';
import createPipeline from '../../../functions/pipelines/create-pipeline.ts';
import * as demo from '../../../shared/kernel/demo-ids.ts';
import type { Past } from './past.ts';
import { fixedIds } from './randomness.ts';

const aiModels = [
  {
    _id: demo.aiModel,
    providerName: 'Northwind AI',
    gatewayUniqueName: 'northwind',
    websiteUrl: 'https://northwind.example.com',
    modelDetails: [
      { modelName: 'breeze-2', description: 'Quick answers to short questions' },
      { modelName: 'gale-2', description: 'Long texts and careful summaries' },
    ],
  },
  {
    _id: demo.spareAiModel,
    providerName: 'Contoso Voice',
    gatewayUniqueName: 'contoso-voice',
    websiteUrl: 'https://voice.example.org',
    modelDetails: [{ modelName: 'echo-1', description: 'Transcripts of calls' }],
  },
];

/** Further pipelines of contacts, still empty. */
const pipelines = [
  { _id: demo.partnersPipeline, name: 'Partners', stages: ['Invited', 'Signed'] },
  { _id: demo.sparePipeline, name: 'Trade fair', stages: ['Met', 'Written to', 'Met again'] },
];

const listings = [
  {
    _id: demo.listing,
    name: 'Onboarding package',
    description: 'Three calls and a plan',
    content: { price: 490, currency: 'EUR' },
  },
  { name: 'Yearly review', description: 'Half a day on site', content: { price: 1200, currency: 'EUR' } },
  { _id: demo.spareListing, name: 'Support line', content: { perMonth: 39, languages: ['en', 'de', 'uk'] } },
];

/** The users' phone numbers, the default one first. Like those of the contacts they are reserved for fiction; no contact has them. */
const numbers = [
  { userId: demo.admin, phoneNumber: '+12025550101', label: 'Front desk' },
  { userId: demo.head, phoneNumber: '+12025550117', label: 'Sales North' },
  { userId: demo.rep, phoneNumber: '+12025550142', label: 'Desk' },
  { userId: demo.rep, phoneNumber: '+12025550143', label: 'Campaigns' },
  // The example that removes a number removes this one.
  { userId: demo.olena, phoneNumber: '+12025550166', label: 'Support' },
];

/** Invitations. Their emails are sent once the host has started; the example that deletes an invitation deletes the first. */
const invitations = [
  {
    _id: demo.spareInvitation,
    email: 'ingrid@example.com',
    role: 'SALES_REP',
    departmentIds: [demo.support],
  },
  { email: 'tomas@example.com', role: 'DEPARTMENT_HEAD', departmentIds: [demo.salesSouth] },
];

const weekday = { enabled: true, start: '09:00', end: '17:30' };

const missedCall = {
  missedCallMessage: 'Sorry we missed you, {{contactName}}. We will call back within the hour.',
  missedCallAutoMessageEnabled: true,
};

/** Missed calls are texted at any time of day, so that the demo works whenever somebody tries it. */
const missedCallPolicy = { sendWhen: 'always', otherwise: 'at_opening', cooldownMinutes: 60, remind: true };
const helpMessage = 'Bluebird Trading. Call us on +1 202 555 0101. Reply STOP to get no more messages.';

/** The settings that the SUPERADMIN and the admin made before the first contact was created. */
export async function setUp(past: Past, at: Date): Promise<void> {
  const path = { organizationId: demo.organization };
  const byAdmin = { at, by: demo.admin, path };
  const stageId = fixedIds(6);
  for (const { _id, ...body } of aiModels) {
    await past.run(createAiModel, { at, by: demo.superadmin, body, ids: [_id] });
  }
  for (const { _id, name, stages } of pipelines) {
    const body = { name, type: 'Contact', stages: stages.map((stage) => ({ name: stage })) };
    await past.run(createPipeline, { ...byAdmin, body, ids: [_id, ...stages.map(stageId)] });
  }
  for (const { _id, ...body } of listings) {
    await past.run(createListing, { ...byAdmin, body, ids: [_id] });
  }
  for (const number of numbers) {
    await past.run(assignPhoneNumber, { ...byAdmin, body: { provider: 'twilio', ...number } });
  }
  for (const { _id, ...body } of invitations) {
    await past.run(inviteUser, { at: past.now, by: demo.admin, body, ids: [_id] });
  }
  await past.run(updateBusinessHours, { ...byAdmin, body: businessHours(past.now.getUTCFullYear()) });
  await past.run(updateOrganization, { ...byAdmin, body: { helpMessage } });
  await past.run(updateMissedCallMessage, { ...byAdmin, body: missedCall });
  await past.run(updateMissedCallPolicy, { ...byAdmin, body: missedCallPolicy });
}

function businessHours(year: number) {
  return {
    timezone: 'America/New_York',
    businessHours: {
      monday: weekday,
      tuesday: weekday,
      wednesday: weekday,
      thursday: { ...weekday, end: '20:00' },
      friday: { ...weekday, end: '15:00' },
      saturday: { enabled: false, start: '10:00', end: '14:00' },
    },
    holidays: [year, year + 1].flatMap((each) => [
      { date: `${each}-01-01`, label: "New Year's Day" },
      { date: `${each}-07-04`, label: 'Independence Day' },
      { date: `${each}-12-25`, label: 'Christmas Day' },
    ]),
    exceptionalHours: [
      { date: `${year}-12-24`, closed: false, start: '09:00', end: '12:00', label: 'Christmas Eve' },
      { date: `${year}-12-31`, closed: true, label: 'Stocktaking' },
    ],
    allowUserBusinessHoursOverride: true,
  };
}
