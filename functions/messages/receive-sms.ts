import * as z from 'zod/mini';
import { requireNotErased } from '../../shared/contacts/erased-contact.ts';
import { isPhoneNumber } from '../../shared/contacts/read-phone-number.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { described } from '../../shared/kernel/schemas/descriptions.ts';
import { changeResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { anyBoolean, anyString } from '../../shared/kernel/schemas/fields.ts';
import { emptyResponse } from '../../shared/messages/empty-response.ts';
import { shareOfSenders } from '../../shared/messages/share-of-senders.ts';
import { requireTwilioSignature, signedRequest } from '../../shared/messages/signed-request.ts';
import { type NumberOwner, numberOwner, secretsOf } from '../../shared/organizations/phone-assignments.ts';
import { deliverUnclaimed } from './model/deliver-unclaimed.ts';
import { IncomingSmsFields, incomingSms, incomingSmsDescriptions } from './model/incoming-sms.ts';
import { keepUnclaimed } from './model/keep-unclaimed.ts';
import { receiveMessage } from './model/receive-message.ts';
import { storeOrStateConsent } from './model/state-consent.ts';

export default operation({
  route: 'POST /api/webhook/{provider}/sms',
  tag: 'Webhook',
  summary: 'Receive a text message',
  description: [
    'A number without a secret takes requests from anybody: whoever knows it can write messages in the name of others, opt contacts out and back in, and have help messages sent to any number, at most 20 an hour. So give every number the secret of its provider.',
    "Called by the SMS provider, with Twilio's field names. The assignment of the number in `To` determines the organization. A message to a number that is not assigned is kept for 30 days and delivered when the number is assigned, if the assignment has no secret or the message is signed with it; until then its ids are null. Up to 1,000 of these are kept for a number in 30 days, and up to 1,000 a day from one network; beyond that, the response is 429. A message to anything other than a phone number is not kept. Messages are accepted even if the assignment does not take inbound calls.",
    "The sender is the contact with the number in `From`. A sender without a phone number (a short code, a name, an address like `whatsapp:+15551234567`, a withheld number like `anonymous` or its digits `+266696687`) is a contact of its own, with the address in its custom field `sender`; nobody can call it or write to it. An unknown sender becomes a new contact: called by its `ProfileName`, else `Unknown Sender`, source `Incoming SMS`, in the first stage of the active Contact pipeline, or of the oldest one if none is active. The owner is the user to whom the number in `To` is assigned, or nobody if that user is disabled. The message is stored in the contact's SMS conversation, reopens it, and emits `message_created`. A place, the answer to a button and the chosen item of a list, as WhatsApp has them, become lines of the message. A message that the provider reports again is stored once; the response has the same ids.",
    'A message that is only STOP, STOPALL, UNSUBSCRIBE, CANCEL, END, QUIT, REVOKE, OPTOUT, REMOVE or ARRET opts the number (or other address) in `From` out of text messages; one that is only START, UNSTOP or YES opts it back in; `contact_updated` reports it. A message that is only HELP or INFO is answered with the `helpMessage` of the organization, if there is one: from the number in `To`, within the daily limit, at most once an hour for a contact, also to one who has opted out. Case, accents, blanks, hyphens, quotes, punctuation, emoji and invisible characters do not matter, `STOP PLEASE` and `PLEASE STOP` count too, and of a message of several lines the first one is enough: the others are a signature. An `OptOutType` counts instead of the text.',
    'What a number said stays with it: whichever contact gets the number later, by an edit, an import, a lead, a call or a text, also after its contact was deleted, is not written to at that number until the number says START, or a user records its consent.',
    'A message that cannot be stored at the moment, because the service is busy or fails, is kept, returns 202 (a form gets the empty `Response`), and is stored once, usually within minutes. If its assignment could not be read either, its signature is checked then, and a message that would have been refused is dropped.',
    'Once the assignment has a secret, the header `X-Twilio-Signature` is required (403 otherwise). It is checked as Twilio describes: over the called URL and the fields of a form or, for a JSON body, over the called URL with its `bodySHA256`. A JSON request gets a JSON response, a form an empty XML `Response`. Values longer than their limit are truncated.',
  ].join('\n\n'),
  family: 'plain',
  minimumRole: 'anyone',
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
  keeps: ({ body, sent }) => ({
    group: body.To,
    about: incomingSms(body).from,
    ...(sent.isForm && { response: emptyResponse }),
  }),
  uses: {
    identity: 'read',
    organizations: 'write',
    platform: 'write',
    newcomerPolicy: 'read',
    secrets: 'open',
  },
  async run(
    { body, sent, headers, sourceIp },
    { identity, organizations, platform, newcomerPolicy, secrets, now, newId },
  ) {
    const sms = incomingSms(body);
    const hasNumber = isPhoneNumber(sms.to);
    const { receivedAt } = sent;
    const owner = hasNumber ? await numberOwner(identity, sms.to) : undefined;
    const request = signedRequest(sent, headers);
    requireTwilioSignature(await secretsOf(secrets, sms.to, owner ? [owner] : []), request);
    if (hasNumber && owner === undefined) {
      await keepUnclaimed(platform, sms, request, { sourceIp, receivedAt });
      // Somebody may have got the number at this moment, and those that waited may have been delivered already.
      await deliverUnclaimed({ identity, platform, organizations, secrets }, sms.to, { now, newId });
    }
    const receive = (to: NumberOwner) => {
      const table = organizations(to.organizationId);
      return storeOrStateConsent(table, sms, receivedAt, { now, newId }, async () => {
        const conditions = await requireNotErased(platform, to.organizationId, sms.from, sent);
        const receiving = { now, receivedAt, newcomerPolicy, conditions };
        return receiveMessage(table, to, sms, newId, receiving);
      });
    };
    const { duplicate, ...ids } = owner === undefined ? noRecord : await receive(owner);
    return sent.isForm
      ? emptyResponse
      : ok({
          message: owner === undefined ? unclaimedMessage(hasNumber) : receivedMessage(duplicate),
          data: { ...ids, duplicate },
        });
  },
});

/** The response for a message that nobody has got yet. */
const noRecord = { messageId: null, conversationId: null, contactId: null, duplicate: false };

function unclaimedMessage(hasNumber: boolean): string {
  return hasNumber
    ? 'The number in To is not assigned. The message is kept for 30 days, and delivered if the number is assigned by then.'
    : 'To is not a phone number with a country code, so nobody can receive the message. It was not kept.';
}

function receivedMessage(duplicate: boolean): string {
  return duplicate ? 'The message was already received' : 'Message received';
}
