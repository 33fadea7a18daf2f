/** A text message for the provider. */
export interface OutgoingSms {
  /** The message's id, for providers with idempotency keys. */
  readonly id: string;
  /** E.164; undefined for the account's standard sender. */
  readonly from: string | undefined;
  /** E.164. */
  readonly to: string;
  readonly content: string;
  readonly mediaUrls: readonly string[];
  /** Where the provider reports what becomes of it: path and query, below the address of this API. */
  readonly statusPath: string;
}

/** The outcome: accepted by the provider, or refused for good, with a code and in words for the sender (`MessageFailure`). */
export type SmsOutcome =
  | { readonly status: 'sent'; readonly providerMessageId: string }
  | { readonly status: 'failed'; readonly code: string; readonly reason: string };

export interface SmsProvider {
  /** @throws when the provider cannot be reached or asks to wait: try again later. */
  send(message: OutgoingSms): Promise<SmsOutcome>;
}
