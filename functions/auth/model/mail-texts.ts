import { codePoints } from '../../../shared/kernel/code-points.ts';
import type { MailProvider, OutgoingMail } from '../../../shared/mail/mail-provider.ts';

/** The email to somebody who has forgotten the password. */
export function resetMail(to: string, token: string, mail: Pick<MailProvider, 'linkTo'>): OutgoingMail {
  return {
    to,
    subject: 'Choose a new password for Switchboard',
    text: [
      'Somebody, probably you, asked for a new password for your Switchboard account.',
      `Choose it here:\n${mail.linkTo('reset-password', token)}`,
      'The link works once, within one hour, and stops working when you ask for another.',
      'If you did not ask for it, ignore this email: your password stays the same.',
    ].join('\n\n'),
  };
}

/** Names that the email can mention. */
export interface InvitationNames {
  readonly organization: string;
  readonly inviter: string;
}

/** The mail with the link that accepts an invitation. Suspicious names are left out: anybody can choose one. */
export function invitationMail(
  to: string,
  token: string,
  { organization, inviter }: InvitationNames,
  mail: Pick<MailProvider, 'linkTo'>,
): OutgoingMail {
  const who = quoted(inviter) ?? 'An administrator';
  const where = quoted(organization) ?? 'an organization';
  return {
    to,
    subject: 'You have been invited to Switchboard',
    text: [
      `${who} invites you to join ${where} on Switchboard.`,
      `Choose your name and your password here:\n${mail.linkTo('accept-invitation', token)}`,
      'The link works once, within 7 days. If you do not know who invited you, ignore this email.',
    ].join('\n\n'),
  };
}

/** More than most names have, and too few for a message. */
const nameLimit = 40;

/**
 * Text that some mail program would turn into a link or a number to call, and text that the reader does not see. Other signs may stand
 * for the full stop or between the digits.
 */
const suspicious = [
  /[\\@"“”„«»]/u,
  /\/\//u,
  /[.。]\S/u,
  /[\p{C}\p{Zl}\p{Zp}]/u,
  /\p{Nd}([\s()./–—-]*\p{Nd}){4}/u,
];

/**
 * A name in quotation marks, so that recipients recognise it as a name; undefined for text that could be a link or a message.
 * Anybody can found an organization under any name, and the email comes from us.
 */
function quoted(name: string): string | undefined {
  const plain = name.normalize('NFKC');
  const isHarmless = codePoints(plain) <= nameLimit && !suspicious.some((pattern) => pattern.test(plain));
  return isHarmless ? `"${plain}"` : undefined;
}
