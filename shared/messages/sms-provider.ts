/** A text message for the provider. */
export interface OutgoingSms {
  /** The message's id, for providers with idempotency keys. */
  readonly id: string;
  /** E.164; undefined for the account's default sender. */
  readonly from: string | undefined;
  /** E.164. */
  readonly to: string;
  readonly content: string;
  readonly mediaUrls: readonly string[];
}

/** The outcome: accepted by the provider, or refused for good, in words for the sender. */
export type SmsOutcome =
  | { readonly status: 'sent'; readonly providerMessageId: string }
  | { readonly status: 'failed'; readonly reason: string };

export interface SmsProvider {
  /** @throws when the provider cannot be reached or asks to wait: try again later. */
  send(message: OutgoingSms): Promise<SmsOutcome>;
}
