import { randomBytes } from 'node:crypto';
import { after, second } from '../../shared/kernel/time.ts';
import type { Call } from '../harness/call.ts';
import { domainName } from '../harness/gateway.ts';
import type { Person, Product } from '../harness/product.ts';
import { expectStatus, newPhoneNumber } from '../harness/tenants.ts';
import { signedForm } from '../messages/twilio-signing.ts';
import { newWebhookClient } from '../messages/webhook-client.ts';

export interface Reporting extends Pick<Call, 'at' | 'headers' | 'query'> {}

type Fields = Record<string, unknown>;

/** The voice webhook as a provider calls it. */
export const voiceUrl = `https://${domainName}/api/webhook/twilio/voice`;

/** An id as Twilio's. */
export function newCallSid(): string {
  return `CA${randomBytes(16).toString('hex')}`;
}

export type VoiceClient = Awaited<ReturnType<typeof newVoiceClient>>;

/** A new number of a user, with a provider that reports its calls. */
export async function newVoiceClient(
  product: Product,
  admin: Person,
  user: Person,
  more: Record<string, unknown> = {},
) {
  const { phoneNumber } = await newWebhookClient(product, admin, user, more);
  const tell = (body: string | object, reporting: Reporting = {}) =>
    product.call('receive-call', { path: { provider: 'twilio' }, body, ...reporting });
  const inbound = (fields: Fields) => ({
    CallSid: newCallSid(),
    To: phoneNumber,
    Direction: 'inbound',
    ...fields,
  });
  return {
    phoneNumber,
    /** Sends a body, a text as it is. */
    tell,
    /** Reports an inbound call to the number, as JSON. */
    report: (fields: Fields, reporting?: Reporting) => tell(inbound(fields), reporting),
    /** The same as a form that Twilio's own library has signed. */
    signedForm: (fields: Record<string, string>, secret: string, reporting: Reporting = {}) => {
      const sent = inbound(fields) as Record<string, string>;
      const signed = signedForm(secret, voiceUrl, sent);
      return tell(new URLSearchParams(sent).toString(), { ...reporting, ...signed });
    },
  };
}

/** Reports a whole call from a number of its own, a report every 10 seconds from `start` on. */
export async function reportAll(
  voice: VoiceClient,
  start: Date,
  statuses: readonly string[],
  more: Record<string, unknown> = {},
) {
  const fields = { CallSid: newCallSid(), From: newPhoneNumber(), ...more };
  const responses = [];
  for (const [index, CallStatus] of statuses.entries()) {
    const at = after(start, index * 10 * second);
    responses.push(expectStatus(await voice.report({ ...fields, CallStatus }, { at }), 200).data);
  }
  return { fields, responses, last: responses.at(-1) };
}
