/** A text message for the provider. */
export interface OutgoingSms {
  /** Of the message; providers that know idempotency keys get it as one. */
  readonly id: string;
  /** E.164; undefined for the sender that the account uses by default. */
  readonly from: string | undefined;
  /** E.164. */
  readonly to: string;
  readonly content: string;
  readonly mediaUrls: readonly string[];
}

/** What became of it: taken by the provider, or refused for good, in words for the sender. */
export type SmsOutcome =
  | { readonly status: 'sent'; readonly providerMessageId: string }
  | { readonly status: 'failed'; readonly reason: string };

export interface SmsProvider {
  /** @throws when the provider cannot be reached or asks to wait: try again later. */
  send(message: OutgoingSms): Promise<SmsOutcome>;
}
