import * as z from 'zod/mini';
import { described } from '../../shared/kernel/descriptions.ts';
import { changeResponse, ok } from '../../shared/kernel/envelope.ts';
import { Failure, notFound } from '../../shared/kernel/failure.ts';
import { anyText, yesOrNo } from '../../shared/kernel/fields.ts';
import { operation, type SentRequest } from '../../shared/kernel/operation.ts';
import { OtherResponse } from '../../shared/kernel/other-response.ts';
import { numberOwner } from '../../shared/organizations/phone-assignments.ts';
import { IncomingSmsFields, incomingSms, incomingSmsDescriptions } from './model/incoming-sms.ts';
import { receiveMessage } from './model/receive-message.ts';
import { isTwilioSignature } from './model/twilio-signature.ts';

/** Tells Twilio to send no reply. */
const emptyResponse = '<?xml version="1.0" encoding="UTF-8"?><Response></Response>';

export default operation({
  route: 'POST /api/webhook/{provider}/sms',
  tag: 'Webhook',
  summary: 'Receive a text message',
  description: [
    "Called by the SMS provider, in Twilio's field names. The organization is that of the number in `To`, as its phone-number assignments say; a number of nobody is 404. Whether the assignment takes inbound calls does not matter: no message is lost.",
    'The sender is the contact with the number in `From`, or becomes one: `Unknown Sender`, source `Incoming SMS`, in the first stage of the active Contact pipeline (without one, of the oldest; 404 while there is no Contact pipeline at all), of the user whose number it is, or of nobody while that user is disabled. The message is stored in the SMS conversation of the contact, which it opens again, and told as `message_created`. A message that its provider tells of again is stored once, and answered with the same ids.',
    'A whole message of STOP, STOPALL, UNSUBSCRIBE, CANCEL, END, QUIT, REVOKE or OPTOUT opts the contact out of text messages; START, UNSTOP or YES back in.',
    'Once the assignment has a secret, the header `X-Twilio-Signature` is required and checked as Twilio describes, over the URL called and the fields of a form, or `bodySHA256` in the URL and a JSON body: 403 otherwise. JSON is answered with JSON, a form with an empty XML `Response`. In a form, the `+` of a number is written `%2B`.',
  ].join('\n\n'),
  family: 'plain',
  minimumRole: 'anyone',
  // A provider's webhook address may have parameters of its own.
  query: z.looseObject({}),
  body: IncomingSmsFields,
  takesForms: true,
  descriptions: {
    provider: 'The name of the provider, for the logs; `To` decides.',
    ...incomingSmsDescriptions,
  },
  output: changeResponse(
    described(
      z.object({ messageId: anyText, conversationId: anyText, contactId: anyText, duplicate: yesOrNo }),
      {
        messageId: 'The message.',
        conversationId: 'The SMS conversation of the contact.',
        contactId: 'The contact who sent it.',
        duplicate: 'Whether the message had come in before.',
      },
    ),
  ),
  others: [{ status: 200, contentType: 'text/xml', description: 'To a form: an empty `Response`.' }],
  failures: ['FORBIDDEN', 'NOT_FOUND'],
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
  uses: { identity: 'read', organizations: 'write' },
  async run({ body, sent, headers }, { identity, organizations, now, newId }) {
    const sms = incomingSms(body);
    const number = await numberOwner(identity, sms.to);
    if (number === undefined) {
      throw notFound('Phone number');
    }
    if (number.secret !== undefined) {
      requireSignature(number.secret, headers['x-twilio-signature'], sent);
    }
    const { duplicate, ...ids } = await receiveMessage(organizations(number.organizationId), number, sms, {
      now,
      newId,
    });
    return sent.isForm
      ? new OtherResponse({ contentType: 'text/xml', body: emptyResponse })
      : ok({
          message: duplicate ? 'The message was received before' : 'Message received',
          data: { ...ids, duplicate },
        });
  },
});

/** @throws a 403 `Failure` for a request that the provider did not sign. */
function requireSignature(
  authToken: string,
  signature: string | undefined,
  { url, text, isForm }: SentRequest,
): void {
  const signed = isForm ? { parameters: new URLSearchParams(text) } : { rawBody: text };
  if (!isTwilioSignature({ authToken, url, signature, ...signed })) {
    throw new Failure(
      'FORBIDDEN',
      'X-Twilio-Signature does not fit this request. Sign the URL called and the body with the secret of the phone number.',
    );
  }
}
