import type { MailProvider, OutgoingMail } from '../../../shared/mail/mail-provider.ts';

/** What somebody gets who has forgotten the password. */
export function resetMail(to: string, token: string, mail: Pick<MailProvider, 'linkTo'>): OutgoingMail {
  return {
    to,
    subject: 'Choose a new password for Switchboard',
    text: [
      'Somebody, probably you, has asked for a new password for your Switchboard account.',
      `Choose it here:\n${mail.linkTo('reset-password', token)}`,
      'The link works once, and for one hour. A newer one replaces it.',
      'If you have not asked for it, do nothing: your password stays as it is.',
    ].join('\n\n'),
  };
}

/** Names that the mail can mention. */
export interface InvitationNames {
  readonly organization: string;
  readonly inviter: string;
}

export function invitationMail(
  to: string,
  token: string,
  { organization, inviter }: InvitationNames,
  mail: Pick<MailProvider, 'linkTo'>,
): OutgoingMail {
  const who = harmless(inviter) ?? 'An administrator';
  const where = harmless(organization) ?? 'an organization';
  return {
    to,
    subject: 'You are invited to Switchboard',
    text: [
      `${who} invites you to join ${where} on Switchboard.`,
      `Choose your name and your password here:\n${mail.linkTo('accept-invitation', token)}`,
      'The link works once, and for 7 days. If you do not know who invites you, do nothing.',
    ].join('\n\n'),
  };
}

/**
 * A name that a stranger may read as a name and nothing else; undefined for one that could be a link or a message of its own.
 * Anybody can found an organization under any name, and the mail comes from us.
 */
function harmless(name: string): string | undefined {
  return name.length <= 80 && !/[\\@\p{Cc}\u2028\u2029]|\/\/|\.\S/u.test(name) ? name : undefined;
}
