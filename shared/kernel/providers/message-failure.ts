/** Why a message did not arrive. */
export interface MessageFailure {
  /** The provider's error code, or one of our own codes: `failureWords`. */
  readonly code: string;
  /** In words for the user who sent the message. */
  readonly reason: string;
}

/** Our own codes, for failures that no provider reported, and their meanings. */
export const failureWords = {
  OPTED_OUT: 'the contact has opted out of text messages',
  DAILY_LIMIT: 'at its time, the organization had reached its daily limit of text messages',
  NUMBER_LOST: 'the organization no longer has a number that the message may be sent from',
  EXPIRED: 'the message could not be sent within a day',
  NO_RECIPIENT: 'at its time, the contact had no phone number',
  SENDER_DISABLED: 'at its time, the account of the user who scheduled it was disabled',
  NO_ACCESS: 'at its time, the user who scheduled it could see neither the contact nor the conversation',
  NO_PROVIDER: 'the operator of the service has not set up a provider or a sender',
  UNKNOWN: 'the provider did not say why',
} as const;

/** The provider's code for a recipient who has opted out of messages from the sender. Source: Twilio, "Error 21610". */
export const optedOutCode = '21610';
