/** Source: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md */
export const webhookSecretPrefix = 'whsec_';

/** A new secret: `whsec_` and 32 random bytes in base64. */
export function newWebhookSecret(randomBytes: (size: number) => Uint8Array): string {
  return webhookSecretPrefix + Buffer.from(randomBytes(32)).toString('base64');
}
