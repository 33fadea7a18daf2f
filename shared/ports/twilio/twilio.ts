import * as z from 'zod/mini';
import { jsonIn } from '../../kernel/json.ts';
import { failed, isRefusal, providerUnavailable, refused } from '../../kernel/providers/sms-outcomes.ts';
import type { OutgoingSms, SmsOutcome, SmsProvider } from '../../kernel/providers/sms-provider.ts';
import { type PostLimits, type PostResponse, postForm } from './form-post.ts';
import type { TwilioCredentialStore, TwilioCredentials } from './twilio-credentials.ts';

export interface TwilioOptions {
  readonly credentials: TwilioCredentialStore;
  readonly now: Date;
  /** The address of this API, for reports of what becomes of a message. */
  readonly apiUrl: string;
  readonly baseUrl?: string;
  readonly limits?: PostLimits;
}

/**
 * Waits long for the response: a message without one may have been sent, and a retry would send it twice, because Twilio has no
 * idempotency keys here.
 */
const usualLimits: PostLimits = { connection: 1_000, response: 5_000 };

/** Sends through Twilio's REST API. Source: https://www.twilio.com/docs/messaging/api/message-resource#create-a-message */
export function twilio({
  credentials: store,
  now,
  apiUrl,
  baseUrl = 'https://api.twilio.com',
  limits = usualLimits,
}: TwilioOptions): SmsProvider {
  return {
    async send(message) {
      const credentials = await store.current(now);
      if (credentials === undefined) {
        return failed(
          'NO_PROVIDER',
          'No SMS provider is configured. The operator of this service must store its credentials.',
        );
      }
      const sender = senderOf(message, credentials);
      if (sender === undefined) {
        return failed(
          'NO_PROVIDER',
          'No sender is configured. Send from a phone number of the organization.',
        );
      }
      const { accountSid, user, password } = credentials;
      const url = new URL(`/2010-04-01/Accounts/${accountSid}/Messages.json`, baseUrl);
      const response = await postForm({
        url,
        user,
        password,
        form: formOf(message, sender, apiUrl),
        limits,
      }).catch((error: unknown) => {
        throw providerUnavailable(error);
      });
      if (response.status === 401 || response.status === 403) {
        store.forget();
      }
      return outcomeOf(response);
    },
  };
}

type Sender = readonly [parameter: 'From' | 'MessagingServiceSid', value: string];

function senderOf({ from }: OutgoingSms, account: TwilioCredentials): Sender | undefined {
  if (from !== undefined) {
    return ['From', from];
  }
  if (account.messagingServiceSid !== undefined) {
    return ['MessagingServiceSid', account.messagingServiceSid];
  }
  return account.from === undefined ? undefined : ['From', account.from];
}

function formOf(
  { to, content, mediaUrls, statusPath }: OutgoingSms,
  [parameter, value]: Sender,
  apiUrl: string,
): URLSearchParams {
  const StatusCallback = apiUrl + statusPath;
  const form = new URLSearchParams({ To: to, [parameter]: value, StatusCallback });
  if (content !== '') {
    form.set('Body', content);
  }
  for (const url of mediaUrls) {
    form.append('MediaUrl', url);
  }
  return form;
}

/** A message has a `sid`, an error a `code`. */
const ResponseFields = z.object({ sid: z.optional(z.string()), code: z.optional(z.number()) });

/** @throws a 503 for an error that may be transient. */
function outcomeOf({ status, text }: PostResponse): SmsOutcome {
  const { sid, code } = z.safeParse(ResponseFields, jsonIn(text)).data ?? {};
  if (status >= 200 && status < 300 && sid !== undefined) {
    return { status: 'sent', providerMessageId: sid };
  }
  const isClientError = status >= 400 && status < 500;
  const mayPass = [401, 403, 408, 429].includes(status);
  if (isClientError && (!mayPass || isRefusal(code))) {
    return refused(code ?? status);
  }
  throw providerUnavailable(
    new Error(`Twilio responded ${status}${code === undefined ? '' : ` with code ${code}`}`),
  );
}
