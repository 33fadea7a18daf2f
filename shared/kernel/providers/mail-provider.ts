/** An email of plain text for the provider. */
export interface OutgoingMail {
  /** One address. */
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** An email that will never be sent, and why, in words for the sender. */
export interface FailedMail {
  readonly status: 'failed';
  readonly reason: string;
  /** Set if users can cause this failure, so that the operator of the service has nothing to fix. */
  readonly isExpected?: true;
}

/** The outcome: accepted by the provider, or refused for good. */
export type MailOutcome = { readonly status: 'sent' } | FailedMail;

/** The purpose of a link in an email. */
const linkPurposes = ['reset-password', 'accept-invitation'] as const;
export type LinkPurpose = (typeof linkPurposes)[number];

/** Whether this deployment can send mail at all, for those who would otherwise queue or compose it in vain. */
export interface MailSender {
  readonly isConfigured: boolean;
}

export interface MailProvider extends MailSender {
  /** @throws when the provider cannot be reached or asks to wait: try again later. */
  send(mail: OutgoingMail): Promise<MailOutcome>;
  /** The page on which somebody uses this one-time token: of the organization's web app, or of the API's documentation. */
  linkTo(purpose: LinkPurpose, token: string): string;
}
