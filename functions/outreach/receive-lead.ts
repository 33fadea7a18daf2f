import * as z from 'zod/mini';
import { applicationLimit } from '../../shared/applications/application.ts';
import * as demo from '../../shared/demo-ids.ts';
import { described } from '../../shared/kernel/descriptions.ts';
import { changeResponse, ok } from '../../shared/kernel/envelope.ts';
import { Failure } from '../../shared/kernel/failure.ts';
import { anyText } from '../../shared/kernel/fields.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { leadDescriptions, leadOf, SentLead } from './model/lead.ts';
import { leadTargetOf } from './model/lead-target.ts';
import { type ReceivedLead, receivedLead } from './model/receive-lead.ts';
import { type SignedDelivery, verifiedWebhook } from './model/standard-webhooks.ts';

export default operation({
  route: 'POST /api/webhook/outreach',
  tag: 'Webhook',
  summary: 'Receive a lead',
  description: [
    'Called by a source of leads. The configuration decides the organization, and of a new contact stage, owner and source; an unknown one is 404, an inactive one 400. A stage that is gone is replaced by the default one (without an active Contact pipeline, by the first of the oldest), an owner who is gone or disabled by nobody: no lead is lost by it.',
    'All further fields are custom data, whatever they are called, together with `customData` at most 50 fields and 16 KB. `email` may be empty or null.',
    'A number that a contact has already, in any spelling, means that contact: its empty name, e-mail, source and owner are filled (what a call or a message of nobody known has put in place of a name counts as empty), everything else stays; of custom data the newest value wins, and what a full contact has no room for is left out and counted in `message`. A lead that says nothing new changes nothing, and answers the same ids.',
    `\`conversationId\` is the SMS conversation of the contact. \`applicationId\` is the application of this configuration, one for each contact, in the first stage of the active Application pipeline; null when the configuration wants none, there is no such pipeline, or the contact has its ${applicationLimit} applications.`,
    'Once the configuration has a secret, leads must be signed as Standard Webhooks describes, over the body as sent, in the headers `webhook-id`, `webhook-timestamp` and `webhook-signature`: 401 otherwise, as for a timestamp more than 5 minutes from now.',
  ].join('\n\n'),
  family: 'plain',
  minimumRole: 'anyone',
  // A provider's webhook address may have parameters of its own.
  query: z.looseObject({}),
  body: SentLead,
  descriptions: leadDescriptions,
  output: changeResponse(
    described(z.object({ contactId: anyText, conversationId: anyText, applicationId: z.nullable(anyText) }), {
      contactId: 'The contact that the lead became, or that it was about.',
      conversationId: 'The SMS conversation of the contact.',
      applicationId: 'The application that was made; null where the configuration asks for none.',
    }),
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
  uses: { identity: 'read', organizations: 'write' },
  async run({ body, headers, sent }, { identity, organizations, now, newId }) {
    const lead = leadOf(body);
    const ids = {
      contact: newId(),
      conversation: newId(),
      application: newId(),
      events: [newId(), newId()].sort(),
    };
    return identity.optimistically(async () => {
      const target = await leadTargetOf({ identity, organizations }, lead);
      const { secret, isActive } = target.configuration;
      requireSignature({ secret, headers, body: sent.text, now });
      if (!isActive) {
        throw new Failure('INVALID', 'The outreach configuration is inactive. Activate it to receive leads.');
      }
      const received = await receivedLead(target, lead, ids, now);
      const { contactId, conversationId, applicationId } = received;
      return ok({
        message: messageOf(received),
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

function messageOf({ isNew, omittedFields }: ReceivedLead): string {
  const message = isNew
    ? 'Lead received: a new contact'
    : 'Lead received: a contact with this number is known';
  return omittedFields === 0 ? message : `${message}, with no room for ${omittedFields} of the custom fields`;
}
