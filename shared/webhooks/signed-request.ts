import type { SentRequest } from '../kernel/operation.ts';
import { isTwilioSignature } from './twilio-signature.ts';

/** A webhook call as far as its signature covers it. */
export interface SignedRequest extends Pick<SentRequest, 'url' | 'text' | 'isForm'> {
  readonly signature: string | undefined;
}

/** Whether the provider signed a call with this secret. */
export function isSignedWith(authToken: string, { url, text, isForm, signature }: SignedRequest): boolean {
  const signed = isForm ? { parameters: new URLSearchParams(text) } : { rawBody: text };
  return isTwilioSignature({ authToken, url, signature, ...signed });
}
