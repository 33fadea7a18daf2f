import * as z from 'zod/mini';
import { applicationLimit } from '../../shared/contact-aggregate/application.ts';
import { requireNotErased } from '../../shared/contacts/erased-contact.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { Failure } from '../../shared/kernel/failure.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { described } from '../../shared/kernel/schemas/descriptions.ts';
import { changeResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { anyString } from '../../shared/kernel/schemas/fields.ts';
import { shareOfSenders } from '../../shared/messages/share-of-senders.ts';
import { addWithinShare } from '../../shared/organizations/newcomer-records.ts';
import { configurationSecretPlace } from './model/configuration.ts';
import { type ReceivedLead, repeatedLead } from './model/earlier-lead.ts';
import { type Lead, leadDescriptions, leadOf, phoneNumberOf, SentLead } from './model/lead.ts';
import { leadTargetOf } from './model/lead-target.ts';
import { storeLead } from './model/receive-lead.ts';
import { type SignedDelivery, verifiedWebhook } from './model/standard-webhooks.ts';

export default operation({
  route: 'POST /api/webhook/outreach',
  tag: 'Webhook',
  summary: 'Receive a lead',
  description: [
    'Called by a lead source. The configuration determines the organization and, for a new contact, stage, owner and source; an unknown configuration returns 404, an inactive one 400. If the stage was deleted, the contact enters the first stage of its pipeline; if the pipeline was deleted too, that of the active Contact pipeline (or of the oldest one if none is active); if the owner is gone or disabled, nobody owns the contact. No lead is lost because of this.',
    'A lead is JSON or a form; the response is always JSON. It must name somebody: by a name, a number or an email address. No other detail refuses it. A number or boolean in the place of a text is its text; a name that is too long is cut; a `phoneNumber` that is not a number, an `email` that is not an address, and a name that is not a text are kept as custom data under these names, and the contact has none. `customData` may be the JSON text of an object, as forms send it.',
    'All extra fields are custom data, whatever their names; together with `customData` they may have at most 50 fields and 16 KB. If there are more, those that fit are kept, first those of `customData`, and `message` names the others.',
    'A lead whose number a contact already has, in any notation, is merged into that contact: an empty name, email, source or owner is filled in (a placeholder name from a call or message counts as empty), and everything else stays. New custom data replaces old values; fields that no longer fit are left out and counted in `message`. A lead without a number becomes a contact of its own.',
    'Every lead emits `lead_received`, which starts workflows of the topic `lead.received`, and notifies the owner of the contact (type `lead`), also if it says nothing new. A repetition does nothing and gets the same response: the same content for the same configuration within 10 minutes, in whatever order and with whatever blanks, unless the contact was deleted meanwhile; or the same header `webhook-id` within 3 days.',
    `\`conversationId\` is the SMS conversation of the contact. \`applicationId\` is the application of this configuration, one for each contact, in the first stage of the active Application pipeline; null if the configuration creates none, there is no such pipeline, or the contact already has ${applicationLimit} applications.`,
    'A lead that cannot be stored at the moment, because the service is busy or fails, is kept, returns 202, and is stored once, usually within minutes. If its configuration could not be read either, its signature is checked then, and a lead that would have been refused is dropped.',
    'Until a SUPERADMIN approves an organization, it gets about 10,000 leads and contacts a day, unless the operator of the service has switched that off; beyond that, the response is 429.',
    'Once the configuration has a secret, leads must be signed as Standard Webhooks describes, over the body as sent, in the headers `webhook-id`, `webhook-timestamp` and `webhook-signature`. Otherwise they are refused with 401, as are those with a timestamp more than 5 minutes from now.',
  ].join('\n\n'),
  family: 'plain',
  minimumRole: 'anyone',
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
        applicationId: 'The application of this configuration; null if there is none.',
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
  keeps: ({ body }) => ({ group: body.configurationId, about: phoneNumberOf(body)?.value }),
  uses: {
    identity: 'read',
    organizations: 'write',
    platform: 'write',
    secrets: 'open',
    spending: 'limit',
    newcomerPolicy: 'read',
  },
  async run(
    { body, headers, sent },
    { identity, organizations, platform, secrets, spending, newcomerPolicy, now, newId },
  ) {
    const ids = {
      contact: newId(),
      conversation: newId(),
      application: newId(),
      events: [newId(), newId(), newId()].sort(),
    };
    const lead = leadOf(body, sent.leftOut);
    return identity.optimistically(async () => {
      const target = await leadTargetOf({ identity, organizations }, lead, headers['webhook-id']);
      const { secret: stored, isActive } = target.configuration;
      const place = configurationSecretPlace(target.configuration);
      const secret = stored && (await secrets.open(stored, place));
      requireSignature({ secret, headers, body: sent.text, now: sent.receivedAt });
      const earlier = await repeatedLead(target.table, target.repetition, sent);
      if (!isActive && earlier === undefined) {
        throw new Failure('INVALID', 'The outreach configuration is inactive. Activate it to receive leads.');
      }
      const { organizationId } = target.table;
      const conditions = await requireNotErased(platform, organizationId, lead.phoneNumber, sent);
      const store = () => storeLead(target, lead, ids, now, { ...sent, conditions });
      const sources = { table: target.table, spending, newcomerPolicy };
      // A lead that was kept is promised to be stored.
      const received =
        earlier ??
        (await (sent.wasKept ? store() : addWithinShare(sources, 'contacts', organizationId, store)));
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

function messageOf({ isNew, omittedFields }: ReceivedLead, { leftOut }: Lead): string {
  const message = isNew ? 'Lead received: new contact' : 'Lead received: a contact already has this number';
  const room = omittedFields === 0 ? '' : `, and has no room for ${omittedFields} of the custom fields`;
  return `${message}${room}${leftOut.length === 0 ? '' : `. Left out: ${listed(leftOut)}`}`;
}

/** Names that a message lists, and characters of each. */
const most = { names: 10, characters: 50 };

function listed(names: readonly string[]): string {
  const shown = names.slice(0, most.names).map((name) => [...name].slice(0, most.characters).join(''));
  const further = names.length - shown.length;
  return [...shown, ...(further === 0 ? [] : [`and ${further} more`])].join(', ');
}
