import { getExpectedBodyHash, getExpectedTwilioSignature } from 'twilio/lib/webhooks/webhooks.js';
import { form } from './webhook-client.ts';

type Fields = Record<string, unknown>;

/** The header with a signature. */
export const signedBy = (signature: string) => ({ headers: { 'x-twilio-signature': signature } });

/** How Twilio's own library signs a form: its URL and its fields. */
export const signFields = (secret: string, url: string, fields: Fields): string =>
  getExpectedTwilioSignature(secret, url, fields);

/** The headers of a form that Twilio's own library has signed. */
export const signedForm = (secret: string, url: string, fields: Fields) => ({
  headers: { ...form, ...signedBy(signFields(secret, url, fields)).headers },
});

/** How Twilio's own library signs a JSON body: its hash in the URL, and the URL. */
export function signedJson(
  secret: string,
  url: string,
  body: string,
  parameters: Readonly<Record<string, string>> = {},
) {
  const query: Record<string, string> = { ...parameters, bodySHA256: getExpectedBodyHash(body) };
  return { query, ...signedBy(signFields(secret, `${url}?${new URLSearchParams(query)}`, {})) };
}
