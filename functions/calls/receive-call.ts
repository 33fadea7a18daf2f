import * as z from 'zod/mini';
import { callStatuses, isMissed } from '../../shared/calls/call.ts';
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
import { readNumberOwner } from '../../shared/organizations/phone-assignments.ts';
import {
  counterpartyIn,
  IncomingCallFields,
  incomingCall,
  incomingCallDescriptions,
  isOfRecording,
} from './model/incoming-call.ts';
import { type Received, receiveCall } from './model/receive-call.ts';
import { findSubjectOfReport } from './model/subject-of-report.ts';

export default operation({
  route: 'POST /api/webhook/{provider}/voice',
  tag: 'Webhook',
  summary: 'Receive the status of a call',
  description: [
    "Called by the voice provider, with Twilio's field names, whenever the status of a call changes: use it as the status callback of calls and numbers. The assignment of the organization's number (`To`, of an outbound call `From`) determines the organization, and the user of the call. A status only goes forward; an earlier or repeated report gets 200 and changes nothing.",
    'Give every number the secret of its provider: one without takes requests from anybody. Once it has a secret, the header `X-Twilio-Signature` is required (403 otherwise).',
    'A form gets an empty XML `Response`. Emits `call_initiated`, `call_answered`, `call_ended`, `call_missed` and `call_updated`. [Calls](#/Calls) explains contacts, statuses, recordings and missed calls.',
  ].join('\n\n'),
  family: 'plain',
  minimumRole: 'anyone',
  actor: providerActor,
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
  defers({ body, sent }) {
    const incoming = incomingCall(body);
    return {
      group: incoming.own || incoming.sid,
      about: counterpartyIn(incoming),
      ...(sent.isForm && { response: emptyResponse }),
    };
  },
  async keepReceipt(outcome, { path: { provider }, body }, ports) {
    const { own } = incomingCall(body);
    const owner = isPhoneNumber(own) ? await readNumberOwner(ports.identity, own) : undefined;
    const { organizationId } = owner ?? {};
    await keepReceipt(ports, { organizationId, provider, kind: 'voice' }, outcome);
  },
  uses: {
    identity: 'read',
    organizations: 'write',
    platform: 'write',
    trialPolicy: 'read',
    secrets: 'open',
  },
  async run(
    { body, sent, headers },
    { identity, organizations, platform, trialPolicy, secrets, now, newId },
  ) {
    const request = signedRequest(sent, headers);
    const reading = { identity, organizations, platform, secrets, now };
    const subject = await findSubjectOfReport(reading, body, request);
    requireTwilioSignature(subject?.found.secrets ?? [], request);
    if (subject === undefined) {
      return sent.isForm && !sent.wasDeferred
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
        ? await requireNoTombstone(platform, owner.organizationId, counterpartyIn(incoming), sent)
        : [];
    const ports = { identity, table: organizations(owner.organizationId), platform, trialPolicy };
    const { receivedAt } = sent;
    const receiving = { receivedAt, callId, conditions };
    const received = await receiveCall(owner, incoming, ports, { now, newId }, receiving);
    return sent.isForm && !sent.wasDeferred
      ? emptyResponse
      : ok({ message: messageFor(received), data: dataOf(received) });
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
