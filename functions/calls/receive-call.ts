import * as z from 'zod/mini';
import { callStatuses, isMissed } from '../../shared/calls/call.ts';
import { requireNotErased } from '../../shared/contacts/erased-contact.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { described } from '../../shared/kernel/schemas/descriptions.ts';
import { changeResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { anyBoolean, anyString } from '../../shared/kernel/schemas/fields.ts';
import { emptyResponse } from '../../shared/messages/empty-response.ts';
import { shareOfSenders } from '../../shared/messages/share-of-senders.ts';
import { requireTwilioSignature, signedRequest } from '../../shared/messages/signed-request.ts';
import {
  counterpartyIn,
  IncomingCallFields,
  incomingCall,
  incomingCallDescriptions,
  isOfRecording,
} from './model/incoming-call.ts';
import { type Received, receiveCall } from './model/receive-call.ts';
import { subjectOfReport } from './model/subject-of-report.ts';

export default operation({
  route: 'POST /api/webhook/{provider}/voice',
  tag: 'Webhook',
  summary: 'Receive the status of a call',
  description: [
    'A number without a secret takes requests from anybody: whoever knows it can report calls in the name of others, and so make you text them. Give every number the secret of its provider.',
    "Called by the voice provider, with Twilio's field names, whenever the status of a call changes: use it as the status callback of calls and numbers. A form gets an empty XML `Response`: as the response to an incoming call, it tells Twilio to end the call. The assignment of the organization's number (`To`, of an outbound call `From`) determines the organization, and the user of the call. For a number that is not assigned, the response is 200 with null ids, and nothing is stored. Reports about a call that began before its number was removed are still taken for 30 days, even if another organization has the number by then.",
    'The contact is the one with the number on the other end. An unknown number becomes a new contact: `Unknown Caller`, source `Incoming Call`, or for an outbound call `New Contact`, source `Outgoing Call`, in the first stage of the active Contact pipeline, or of the oldest one if none is active. Its owner is the user of the number, or nobody if that user is disabled. The call is linked to the voice conversation of the contact. A caller who withheld the number makes a call without `from`: all such callers of one user share one contact without a number. An address that is not a number, like `sip:ada@example.com`, is a contact of its own, with the address in its custom field `sender`.',
    'A status only goes forward: `initiated`, then `ringing`, then `answered`, then an end; an earlier or repeated report gets 200 and changes nothing. Reports may come in any order, even at the same time: all with the same `CallSid` are about one call. `completed` without `in-progress` before it means that the call was answered, `CallDuration` seconds before its end. If the provider reports `busy`, `no-answer` or `canceled` for an answered call, it is completed. Emits `call_initiated`, `call_answered`, `call_ended`, `call_missed` and `call_updated`.',
    'The callback of a recording has `CallSid`, `RecordingSid` and `RecordingUrl`, and neither `To` nor `From`. The recording is added to that call, also after it has ended, and once, however often it is reported. If no such call was reported in the last 30 days, the response is 200 with null ids, and nothing is stored. Its signature is checked with the secret of the number of that call.',
    'An inbound call that ends without an answer is missed. Then its caller gets the missed-call message of the organization by the policy for missed calls, at once or at the next opening, and the `missedCall` of the call says what became of it.',
    'A report that cannot be stored at the moment, because the service is busy or fails, is kept, returns 202 (a form gets the empty `Response`), and is stored once, usually within minutes. The header `X-Twilio-Signature` is required once the assignment has a secret (403 otherwise), and checked like that of `POST /api/webhook/{provider}/sms`.',
  ].join('\n\n'),
  family: 'plain',
  minimumRole: 'anyone',
  // A provider's webhook address may have parameters of its own.
  query: z.looseObject({}),
  body: IncomingCallFields,
  takesForms: true,
  repairsBody: true,
  descriptions: {
    provider:
      "The name of the provider, for the logs; the organization's number determines the organization.",
    ...incomingCallDescriptions,
  },
  output: changeResponse(
    described(
      z.object({
        callId: z.nullable(anyString),
        contactId: z.nullable(anyString),
        conversationId: z.nullable(anyString),
        status: z.nullable(z.enum(callStatuses)),
        missed: anyBoolean,
        duplicate: anyBoolean,
      }),
      {
        callId: 'The call; null if the number is not assigned, or the call of a recording is not known.',
        contactId: 'The contact on the other end; null if there is no `callId`.',
        conversationId:
          'The voice conversation of the contact; null if there is no `callId`, or if the call was discarded.',
        status: 'The status of the call; null if there is no `callId`, or if the call was discarded.',
        missed: 'Whether the call was missed.',
        duplicate: 'Whether the report changed nothing.',
      },
    ),
  ),
  others: [
    { status: 200, contentType: 'text/xml', description: 'In response to a form: an empty `Response`.' },
  ],
  failures: ['FORBIDDEN', 'NOT_FOUND'],
  example: {
    path: { provider: 'twilio' },
    body: {
      CallSid: 'CA0123456789abcdef0123456789abcdef',
      From: '+13035550100',
      To: '+12025550142',
      Direction: 'inbound',
      CallStatus: 'no-answer',
    },
  },
  share: shareOfSenders,
  keeps({ body, sent }) {
    const incoming = incomingCall(body);
    return {
      group: incoming.own || incoming.sid,
      about: counterpartyIn(incoming),
      ...(sent.isForm && { response: emptyResponse }),
    };
  },
  uses: {
    identity: 'read',
    organizations: 'write',
    platform: 'write',
    newcomerPolicy: 'read',
    secrets: 'open',
  },
  async run(
    { body, sent, headers },
    { identity, organizations, platform, newcomerPolicy, secrets, now, newId },
  ) {
    const request = signedRequest(sent, headers);
    const reading = { identity, organizations, platform, secrets, now };
    const subject = await subjectOfReport(reading, body, request);
    requireTwilioSignature(subject?.found.secrets ?? [], request);
    if (subject === undefined) {
      return sent.isForm
        ? emptyResponse
        : ok({
            message: isOfRecording(body)
              ? 'No call with this CallSid was reported in the last 30 days, so the recording was not stored.'
              : 'The number is not assigned, so the call was not stored.',
            data: { ...noRecord, missed: false, duplicate: false },
          });
    }
    const { incoming, found } = subject;
    const { owner, callId } = found;
    const conditions =
      callId === undefined
        ? await requireNotErased(platform, owner.organizationId, counterpartyIn(incoming), sent)
        : [];
    const ports = { identity, table: organizations(owner.organizationId), platform, newcomerPolicy };
    const { receivedAt } = sent;
    const receiving = { receivedAt, callId, conditions };
    const received = await receiveCall(owner, incoming, ports, { now, newId }, receiving);
    return sent.isForm ? emptyResponse : ok({ message: messageFor(received), data: dataOf(received) });
  },
});

/** The response for a call that is not known. */
const noRecord = { callId: null, contactId: null, conversationId: null, status: null };

function dataOf({ callId, contactId, call, duplicate }: Received) {
  return {
    callId,
    contactId,
    conversationId: call?.conversationId ?? null,
    status: call?.status ?? null,
    missed: call !== undefined && isMissed(call),
    duplicate,
  };
}

function messageFor({ call, duplicate }: Received): string {
  if (call === undefined) {
    return 'The call was discarded';
  }
  return duplicate ? 'The report changes nothing' : 'Call recorded';
}
