import * as z from 'zod/mini';
import { isPhoneNumber } from '../../shared/contacts/read-phone-number.ts';
import { requireNoTombstone } from '../../shared/contacts/tombstones.ts';
import { providerActor } from '../../shared/kernel/actor.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { described } from '../../shared/kernel/schemas/descriptions.ts';
import { changeResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { anyBoolean, anyString } from '../../shared/kernel/schemas/fields.ts';
import { emptyResponse } from '../../shared/messages/empty-response.ts';
import { shareOfSenders } from '../../shared/messages/share-of-senders.ts';
import { requireTwilioSignature, signedRequest } from '../../shared/messages/signed-request.ts';
import { keepReceipt } from '../../shared/messages/webhook-receipt.ts';
import {
  type NumberOwner,
  openSecrets,
  readNumberOwner,
} from '../../shared/organizations/phone-assignments.ts';
import { deliverUnassigned } from './model/deliver-unassigned.ts';
import { IncomingSmsFields, incomingSms, incomingSmsDescriptions } from './model/incoming-sms.ts';
import { keepUnassigned } from './model/keep-unassigned.ts';
import { receiveMessage } from './model/receive-message.ts';
import { storeOrStateConsent } from './model/state-consent.ts';

export default operation({
  route: 'POST /api/webhook/{provider}/sms',
  tag: 'Webhook',
  summary: 'Receive a text message',
  description: [
    "Called by the SMS provider, with Twilio's field names. The assignment of the number in `To` determines the organization; the sender is the contact with the number in `From`, or a new one. The message is stored once in the contact's SMS conversation, reopens it, and emits `message_created`. A message that is only STOP, START or HELP has its usual effect.",
    'Give every number the secret of its provider: one without takes requests from anybody. Once it has a secret, the header `X-Twilio-Signature` is required (403 otherwise).',
    'A JSON request gets a JSON response, a form an empty XML `Response`. For a number that is not assigned, the ids are null. [Messages](#/Messages) explains such numbers, new contacts, keywords and signatures.',
  ].join('\n\n'),
  family: 'plain',
  minimumRole: 'anyone',
  actor: providerActor,
  // A provider's webhook address may have parameters of its own.
  query: z.looseObject({}),
  body: IncomingSmsFields,
  repairsBody: true,
  takesForms: true,
  descriptions: {
    provider: 'The name of the provider, for the logs; `To` determines the organization.',
    ...incomingSmsDescriptions,
  },
  output: changeResponse(
    described(
      z.object({
        messageId: z.nullable(anyString),
        conversationId: z.nullable(anyString),
        contactId: z.nullable(anyString),
        duplicate: anyBoolean,
      }),
      {
        messageId: 'The message; null if the number is not assigned.',
        conversationId: 'The SMS conversation of the contact; null if the number is not assigned.',
        contactId: 'The contact who sent it; null if the number is not assigned.',
        duplicate: 'Whether the message had already been received.',
      },
    ),
  ),
  others: [
    { status: 200, contentType: 'text/xml', description: 'In response to a form: an empty `Response`.' },
  ],
  failures: ['FORBIDDEN', 'NOT_FOUND', 'TOO_MANY_ATTEMPTS'],
  example: {
    path: { provider: 'twilio' },
    body: {
      MessageSid: 'SM0123456789abcdef0123456789abcdef',
      From: '+13035550100',
      To: '+12025550142',
      Body: 'Hello! Do you deliver on Saturdays?',
      NumMedia: '0',
    },
  },
  share: shareOfSenders,
  defers: ({ body, sent }) => ({
    group: body.To,
    about: incomingSms(body).from,
    ...(sent.isForm && { response: emptyResponse }),
  }),
  async keepReceipt(outcome, { path: { provider }, body }, ports) {
    const { to } = incomingSms(body);
    const owner = isPhoneNumber(to) ? await readNumberOwner(ports.identity, to) : undefined;
    const { organizationId } = owner ?? {};
    // A message to a number that nobody has is kept with its receipt.
    if (organizationId !== undefined || outcome.status !== 'applied') {
      await keepReceipt(ports, { organizationId, provider, kind: 'sms' }, outcome);
    }
  },
  uses: {
    identity: 'read',
    organizations: 'write',
    platform: 'write',
    trialPolicy: 'read',
    secrets: 'open',
  },
  async run(
    { path, body, sent, headers, sourceIp },
    { identity, organizations, platform, trialPolicy, secrets, now, newId },
  ) {
    const sms = incomingSms(body);
    const hasNumber = isPhoneNumber(sms.to);
    const { receivedAt } = sent;
    const owner = hasNumber ? await readNumberOwner(identity, sms.to) : undefined;
    const request = signedRequest(sent, headers);
    requireTwilioSignature(await openSecrets(secrets, sms.to, owner ? [owner] : []), request);
    if (hasNumber && owner === undefined) {
      await keepUnassigned(platform, sms, request, { sourceIp, receivedAt, provider: path.provider });
      // Somebody may have got the number at this moment, and waiting messages may have been delivered already.
      await deliverUnassigned({ identity, platform, organizations, secrets }, sms.to, { now, newId });
    }
    const receive = (to: NumberOwner) => {
      const table = organizations(to.organizationId);
      return storeOrStateConsent(table, sms, receivedAt, { now, newId }, async () => {
        const conditions = await requireNoTombstone(platform, to.organizationId, sms.from, sent);
        const receiving = { now, receivedAt, trialPolicy, conditions };
        return receiveMessage(table, to, sms, newId, receiving);
      });
    };
    const { duplicate, ...ids } = owner === undefined ? noRecord : await receive(owner);
    return sent.isForm && !sent.wasDeferred
      ? emptyResponse
      : ok({
          message: owner === undefined ? unassignedNumberMessage(hasNumber) : receivedMessage(duplicate),
          data: { ...ids, duplicate },
        });
  },
});

/** The response for a message that nobody has got yet. */
const noRecord = { messageId: null, conversationId: null, contactId: null, duplicate: false };

function unassignedNumberMessage(hasNumber: boolean): string {
  return hasNumber
    ? 'The number in To is not assigned. The message is kept for 30 days, and delivered if the number is assigned by then.'
    : 'To is not a phone number with a country code, so nobody can receive the message. It was not kept.';
}

function receivedMessage(duplicate: boolean): string {
  return duplicate ? 'The message was already received' : 'Message received';
}
