/**
 * The form in which the secret of a second factor is stored, and the only place that knows it: a key for secrets belongs here.
 */
export async function sealedSecret(secret: string): Promise<string> {
  return secret;
}

/** The secret that `sealedSecret` has sealed. */
export async function openedSecret(sealed: string): Promise<string> {
  return sealed;
}
