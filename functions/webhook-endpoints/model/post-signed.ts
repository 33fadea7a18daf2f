import { Webhook } from 'standardwebhooks';
import type { WebhookEndpoint } from '../../../shared/events/webhook-endpoint.ts';
import type {
  OutgoingPosts,
  PostFailure,
  PostResponse,
} from '../../../shared/kernel/providers/outgoing-posts.ts';
import type { SecretOpener } from '../../../shared/kernel/secrets/sealed-secrets.ts';
import { epochSeconds, second, timestamp } from '../../../shared/kernel/time.ts';
import { endpointSecretLocation } from './endpoint.ts';

/** Milliseconds that an address has to answer. Source: integrations 4. */
export const answerTimeout = 15 * second;

/** Bytes of a response that are kept. */
const keptBytes = 1_024;

/** What is posted: the same bytes on every attempt. */
export interface WebhookPost {
  /** The id of the event. */
  readonly id: string;
  readonly body: string;
}

/** The secrets of the endpoint that sign now, opened. */
export function openSecrets(
  { _id, secrets }: Pick<WebhookEndpoint, '_id' | 'secrets'>,
  organizationId: string,
  opener: SecretOpener,
  now: Date,
): Promise<string[]> {
  const live = secrets.filter(({ until }) => until === undefined || until > timestamp(now));
  const location = endpointSecretLocation(organizationId, _id);
  return Promise.all(live.map(({ secret }) => opener.open(secret, location)));
}

/** Posts once to the address of an endpoint, signed with each of the secrets. */
export function postSigned(
  posts: OutgoingPosts,
  url: string,
  secrets: readonly string[],
  { id, body }: WebhookPost,
  now: Date,
): Promise<PostResponse | PostFailure> {
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(epochSeconds(now)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, now, body)).join(' '),
  };
  return posts.post({ url, headers, body, timeout: answerTimeout, keptBytes });
}
