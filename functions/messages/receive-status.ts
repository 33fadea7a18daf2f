import * as z from 'zod/mini';
import { messageStatuses } from '../../shared/conversations/conversation.ts';
import { providerActor } from '../../shared/kernel/actor.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { readAhead } from '../../shared/kernel/read-ahead.ts';
import { described } from '../../shared/kernel/schemas/descriptions.ts';
import { changeResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { anyBoolean, anyString } from '../../shared/kernel/schemas/fields.ts';
import { timestamp } from '../../shared/kernel/time.ts';
import { emptyResponse } from '../../shared/messages/empty-response.ts';
import { PossibleAddress } from '../../shared/messages/provider-fields.ts';
import { sentMessageKey } from '../../shared/messages/sent-message.ts';
import { shareOfSenders } from '../../shared/messages/share-of-senders.ts';
import { requireTwilioSignature, signedRequest } from '../../shared/messages/signed-request.ts';
import { keepReceipt } from '../../shared/messages/webhook-receipt.ts';
import {
  type NumberOwners,
  openSecrets,
  readNumberOwners,
} from '../../shared/organizations/phone-assignments.ts';
import { toDigest } from '../../shared/table/digest.ts';
import { CallbackQuery, callbackDescriptions } from './model/callback-query.ts';
import { recordProgress } from './model/record-progress.ts';
import { messageIn } from './model/status-callback.ts';
import { reportedProgress, StatusFields, sidIn, statusDescriptions } from './model/status-report.ts';

export default operation({
  route: 'POST /api/webhook/{provider}/status',
  tag: 'Webhook',
  summary: 'Receive the status of a text message',
  description: [
    "Called by the SMS provider, with Twilio's field names, whenever the status of a sent message changes; the service gives the provider this address when it sends a message. A status only goes forward: `queued`, `sent`, then one of `delivered`, `undelivered` and `failed` (the first stays), then `read`. Each change emits `message_updated`. An earlier or repeated status, and the status of an unknown message, get 200 and change nothing.",
    'Once the number that the message was sent from has a secret, the header `X-Twilio-Signature` is required (403 otherwise). A JSON request gets a JSON response, a form an empty XML `Response`. [Messages](#/Messages) says which reports count, and what they do to consent.',
  ].join('\n\n'),
  family: 'plain',
  minimumRole: 'anyone',
  actor: providerActor,
  query: CallbackQuery,
  body: StatusFields,
  takesForms: true,
  repairsBody: true,
  descriptions: {
    provider: 'The name of the provider, for the logs.',
    ...callbackDescriptions,
    ...statusDescriptions,
  },
  output: changeResponse(
    described(
      z.object({
        messageId: z.nullable(anyString),
        conversationId: z.nullable(anyString),
        contactId: z.nullable(anyString),
        status: z.nullable(z.enum(messageStatuses)),
        duplicate: anyBoolean,
      }),
      {
        messageId: 'The message; null if the message is unknown, or the report does not count.',
        conversationId: 'The conversation it is in; null if the message is unknown.',
        contactId: 'The contact who receives it; null if the message is unknown.',
        status: 'The status of the message now; null if the message is unknown.',
        duplicate:
          'Whether nothing changed: the message already had this status or a later one, or the status is unknown.',
      },
    ),
  ),
  others: [
    { status: 200, contentType: 'text/xml', description: 'In response to a form: an empty `Response`.' },
  ],
  failures: ['FORBIDDEN'],
  example: {
    path: { provider: 'twilio' },
    body: { MessageSid: demo.sentMessageSid, MessageStatus: 'delivered' },
  },
  share: shareOfSenders,
  defers: ({ body, sent }) => ({
    group: sidIn(body),
    // A deferred report ends with the contact that has this number.
    about: PossibleAddress.safeParse(body.To).data || undefined,
    ...(sent.isForm && { response: emptyResponse }),
  }),
  async keepReceipt(outcome, { path: { provider }, body }, ports) {
    // Not the organization that the address names: anybody can write one there.
    const message = await ports.platform.read(sentMessageKey(toDigest(sidIn(body))));
    const { organizationId } = message?.data ?? {};
    await keepReceipt(ports, { organizationId, provider, kind: 'status' }, outcome);
  },
  uses: {
    identity: 'read',
    organizations: 'write',
    platform: 'write',
    objects: 'downloads',
    secrets: 'open',
  },
  async run(
    { query, body, sent, headers },
    { identity, organizations, platform, objects, secrets, now, newId },
  ) {
    const location = messageIn(query) ?? (await platform.read(sentMessageKey(toDigest(sidIn(body)))))?.data;
    const progress = reportedProgress(body, timestamp(sent.receivedAt));
    const from = location?.from ?? null;
    const owners = from === null ? undefined : readAhead(readNumberOwners(identity, from, now));
    const request = signedRequest(sent, headers);
    const recorded =
      location &&
      (await recordProgress(
        {
          table: organizations(location.organizationId),
          platform,
          downloads: objects(location.organizationId),
          now,
          newId,
        },
        location,
        progress,
        async (message) => {
          const { current, former } = (await owners) ?? noOwners;
          // For a number that was removed since, any secret that it has had since the message proves the report.
          const senders =
            current?.organizationId === location.organizationId
              ? [current]
              : former.filter(
                  ({ organizationId, removedAt }) =>
                    organizationId === location.organizationId && removedAt >= message.createdAt,
                );
          const signing = senders.length > 0 || current === undefined ? senders : [current];
          const signingSecrets = await openSecrets(secrets, from ?? '', signing);
          requireTwilioSignature(signingSecrets, request);
          // The report names another number than the message was sent from, or one that the organization never had: its signature proves
          // nothing.
          if ((from !== null && senders.length === 0) || message.from !== from) {
            return undefined;
          }
          if (signingSecrets.length > 0) {
            return 'proved';
          }
          return message.providerMessageId === sidIn(body) ? 'claimed' : undefined;
        },
      ));
    return sent.isForm && !sent.wasDeferred
      ? emptyResponse
      : ok(responseFor(recorded, progress !== undefined));
  },
});

/** The owners of the standard sender's number: none. */
const noOwners: NumberOwners = { current: undefined, former: [] };

type Recorded = Awaited<ReturnType<typeof recordProgress>>;

function responseFor(recorded: Recorded, isUnderstood: boolean) {
  if (recorded === undefined) {
    const data = { messageId: null, conversationId: null, contactId: null, status: null, duplicate: false };
    return { message: 'The message is unknown', data };
  }
  const { message, moved } = recorded;
  const { _id: messageId, conversationId, contactId, status } = message;
  const unmoved = isUnderstood
    ? 'The message already has this status or a later one'
    : 'This status changes nothing';
  return {
    message: moved ? 'Status recorded' : unmoved,
    data: { messageId, conversationId, contactId, status, duplicate: !moved },
  };
}
