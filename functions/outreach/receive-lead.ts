import * as z from 'zod/mini';
import { applicationLimit } from '../../shared/contact-aggregate/application.ts';
import { requireNoTombstone } from '../../shared/contacts/tombstones.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { Failure } from '../../shared/kernel/failure.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { described } from '../../shared/kernel/schemas/descriptions.ts';
import { changeResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { anyString } from '../../shared/kernel/schemas/fields.ts';
import { shareOfSenders } from '../../shared/messages/share-of-senders.ts';
import { keepReceipt } from '../../shared/messages/webhook-receipt.ts';
import { addWithinShare, trialLimits } from '../../shared/organizations/trial-records.ts';
import { configurationOrganizationKey, configurationSecretLocation } from './model/configuration.ts';
import { findRepeatedLead, type ReceivedLead } from './model/earlier-lead.ts';
import { type Lead, leadDescriptions, leadPhoneNumber, SentLead, toLead } from './model/lead.ts';
import { findLeadTarget } from './model/lead-target.ts';
import { storeLead } from './model/receive-lead.ts';
import { type SignedDelivery, verifiedWebhook } from './model/standard-webhooks.ts';

export default operation({
  route: 'POST /api/webhook/outreach',
  tag: 'Webhook',
  summary: 'Receive a lead',
  description: [
    'Called by a lead source, with JSON or a form. The configuration determines the organization and, for a new contact, stage, owner and source; an unknown configuration returns 404, an inactive one 400. A lead must name somebody: by a name, number or email address. No other detail refuses it; extra fields are custom data.',
    'A lead whose number a contact already has is merged into that contact. A repetition gets the same response and does nothing. Every other lead emits `lead_received`. Beyond the daily limit of an organization that is not approved, the response is 429.',
    'Once the configuration has a secret, leads must be signed as Standard Webhooks describes (401 otherwise). [Outreach](#/Outreach) explains fields, merging and repetitions.',
  ].join('\n\n'),
  family: 'plain',
  minimumRole: 'anyone',
  actor: ({ body }) => ({ type: 'lead', id: body.configurationId }),
  // A provider's webhook address may have parameters of its own.
  query: z.looseObject({}),
  body: SentLead,
  repairsBody: true,
  takesForms: true,
  descriptions: leadDescriptions,
  output: changeResponse(
    described(
      z.object({ contactId: anyString, conversationId: anyString, applicationId: z.nullable(anyString) }),
      {
        contactId: 'The contact that the lead became or was merged into.',
        conversationId: 'The SMS conversation of the contact.',
        applicationId: `The application of this configuration, one for each contact, in the first stage of the active Application pipeline; null if the configuration creates none, there is no such pipeline, or the contact already has ${applicationLimit} applications.`,
      },
    ),
  ),
  failures: ['NOT_FOUND', 'UNVERIFIED'],
  example: {
    body: {
      configurationId: demo.outreachConfiguration,
      phoneNumber: '+1 (303) 555-0183',
      firstName: 'Mary',
      lastName: 'Somerville',
      email: 'mary.somerville@example.com',
      customData: { budget: 5_000 },
      campaign: 'spring',
    },
  },
  share: shareOfSenders,
  limits: [trialLimits.contacts],
  defers: ({ body }) => ({ group: body.configurationId, about: leadPhoneNumber(body)?.value }),
  async keepReceipt(outcome, { body }, ports) {
    const found = await ports.identity.read(configurationOrganizationKey(body.configurationId));
    const { organizationId } = found?.data ?? {};
    await keepReceipt(ports, { organizationId, provider: 'outreach', kind: 'lead' }, outcome);
  },
  uses: {
    identity: 'read',
    organizations: 'write',
    platform: 'write',
    secrets: 'open',
    rateLimits: 'limit',
    trialPolicy: 'read',
  },
  async run(
    { body, headers, sent },
    { identity, organizations, platform, secrets, rateLimits, trialPolicy, now, newId },
  ) {
    const ids = {
      contact: newId(),
      conversation: newId(),
      application: newId(),
      events: [newId(), newId(), newId(), newId()].sort(),
    };
    const lead = toLead(body, sent.skippedFields);
    return identity.optimistically(async () => {
      const target = await findLeadTarget({ identity, organizations }, lead, headers['webhook-id']);
      const { secret: stored, isActive } = target.configuration;
      const location = configurationSecretLocation(target.configuration);
      const secret = stored && (await secrets.open(stored, location));
      requireSignature({ secret, headers, body: sent.text, now: sent.receivedAt });
      const earlier = await findRepeatedLead(target.table, target.repetition, sent);
      if (!isActive && earlier === undefined) {
        throw new Failure('INVALID', 'The outreach configuration is inactive. Activate it to receive leads.');
      }
      const { organizationId } = target.table;
      const conditions = await requireNoTombstone(platform, organizationId, lead.phoneNumber, sent);
      const store = () => storeLead(target, lead, ids, now, { ...sent, conditions });
      const sources = { table: target.table, rateLimits, trialPolicy };
      // A lead that was deferred is promised to be stored.
      const received =
        earlier ??
        (await (sent.wasDeferred ? store() : addWithinShare(sources, 'contacts', organizationId, store)));
      const { contactId, conversationId, applicationId } = received;
      return ok({
        message: messageOf(received, lead),
        data: { contactId, conversationId, applicationId },
      });
    });
  },
});

/** @throws a 401 `Failure` for a lead that is not signed with the secret. */
function requireSignature({
  secret,
  ...delivery
}: Omit<SignedDelivery, 'secret'> & { secret: string | undefined }): void {
  if (secret === undefined) {
    return;
  }
  const verification = verifiedWebhook({ secret, ...delivery });
  if (!verification.verified) {
    throw new Failure('UNVERIFIED', verification.reason);
  }
}

function messageOf({ isNew, omittedFields }: ReceivedLead, { skippedFields }: Lead): string {
  const message = isNew ? 'Lead received: new contact' : 'Lead received: a contact already has this number';
  const room = omittedFields === 0 ? '' : `, and has no room for ${omittedFields} of the custom fields`;
  return `${message}${room}${skippedFields.length === 0 ? '' : `. Left out: ${listed(skippedFields)}`}`;
}

/** Names that a message lists, and characters of each. */
const most = { names: 10, characters: 50 };

function listed(names: readonly string[]): string {
  const shown = names.slice(0, most.names).map((name) => [...name].slice(0, most.characters).join(''));
  const further = names.length - shown.length;
  return [...shown, ...(further === 0 ? [] : [`and ${further} more`])].join(', ');
}
