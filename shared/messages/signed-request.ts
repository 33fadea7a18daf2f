import { Failure } from '../kernel/failure.ts';
import type { SentRequest } from '../kernel/request.ts';
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

/** The call with its signature, to be checked once it is known whose secret counts. */
export function signedRequest(
  sent: SentRequest,
  headers: Readonly<Partial<Record<string, string>>>,
): SentRequest & SignedRequest {
  return { ...sent, signature: headers['x-twilio-signature'] };
}

/**
 * @param secrets those of the number: one, or several if it has had several since what the request is about.
 * @throws a 403 `Failure` when there are any, and the provider has signed with none of them.
 */
export function requireTwilioSignature(secrets: readonly string[], request: SignedRequest): void {
  if (secrets.length > 0 && !secrets.some((secret) => isSignedWith(secret, request))) {
    throw new Failure(
      'FORBIDDEN',
      'X-Twilio-Signature does not match this request. Sign the URL called and the body with the secret of the phone number.',
    );
  }
}
