import { Failure } from '../kernel/failure.ts';
import type { OutgoingSms, SmsOutcome, SmsProvider } from '../messages/sms-provider.ts';
import { failed, isRefusal, refused } from '../messages/sms-refusals.ts';
import { type PostAnswer, type PostLimits, postForm } from './form-post.ts';
import type { TwilioCredentialStore, TwilioCredentials } from './twilio-credentials.ts';

export interface TwilioOptions {
  readonly credentials: TwilioCredentialStore;
  readonly now: Date;
  readonly baseUrl?: string;
  readonly limits?: PostLimits;
}

/**
 * Patient with the answer, since a message whose answer did not come may have been sent, and is sent again by whoever
 * tries again: Twilio knows no idempotency keys here.
 */
const patient: PostLimits = { connection: 1_000, answer: 5_000 };

/** Sends through Twilio's REST API. Source: https://www.twilio.com/docs/messaging/api/message-resource#create-a-message */
export function twilio({
  credentials: store,
  now,
  baseUrl = 'https://api.twilio.com',
  limits = patient,
}: TwilioOptions): SmsProvider {
  return {
    async send(message) {
      const credentials = await store.current(now);
      if (credentials === undefined) {
        return failed('No SMS provider is configured. Whoever runs this service has to store its credentials.');
      }
      const sender = senderOf(message, credentials);
      if (sender === undefined) {
        return failed('No sender is configured. Send from a phone number of the organization.');
      }
      const { accountSid, user, password } = credentials;
      const url = new URL(`/2010-04-01/Accounts/${accountSid}/Messages.json`, baseUrl);
      const answer = await postForm({ url, user, password, form: formOf(message, sender), limits }).catch(
        (error: unknown) => {
          throw unreachable(error);
        },
      );
      if (answer.status === 401 || answer.status === 403) {
        store.forget();
      }
      return outcomeOf(answer);
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

function formOf({ to, content, mediaUrls }: OutgoingSms, sender: Sender): URLSearchParams {
  return new URLSearchParams([
    ['To', to],
    [...sender],
    ...(content === '' ? [] : [['Body', content]]),
    ...mediaUrls.map((url) => ['MediaUrl', url]),
  ]);
}

/** @throws a 503 for whatever may go better another time. */
function outcomeOf({ status, text }: PostAnswer): SmsOutcome {
  const { sid, code } = fieldsOf(text);
  if (status === 201 && sid !== undefined) {
    return { status: 'sent', providerMessageId: sid };
  }
  const isClientError = status >= 400 && status < 500;
  const mayPass = [401, 403, 408, 429].includes(status);
  if (isClientError && (!mayPass || isRefusal(code))) {
    return refused(code ?? status);
  }
  throw unreachable(new Error(`Twilio answered ${status}${code === undefined ? '' : ` with code ${code}`}`));
}
