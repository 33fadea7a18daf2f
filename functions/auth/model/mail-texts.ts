import { codePoints } from '../../../shared/kernel/code-points.ts';
import type { MailProvider, OutgoingMail } from '../../../shared/kernel/providers/mail-provider.ts';
import type { Timestamp } from '../../../shared/kernel/time.ts';
import type { AccountNotice, Device } from '../../../shared/organizations/queued-mail.ts';

/** Programs by what their `User-Agent` says, those first whose text also names another one. */
const programs: readonly [RegExp, string][] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\b(?:OPR|Opera)\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];

const systems: readonly [RegExp, string][] = [
  [/\bWindows\b/, 'Windows'],
  [/\bAndroid\b/, 'Android'],
  [/\biPhone\b/, 'an iPhone'],
  [/\biPad\b/, 'an iPad'],
  [/\bMac OS X\b/, 'a Mac'],
  [/\bCrOS\b/, 'a Chromebook'],
  [/\bLinux\b/, 'Linux'],
];

/** A device in words of our own: whoever sent the request could write any message into its `User-Agent`. */
function deviceName({ userAgent = '' }: Device): string {
  const nameIn = (known: readonly [RegExp, string][]) =>
    known.find(([pattern]) => pattern.test(userAgent))?.[1];
  const [program, system] = [nameIn(programs), nameIn(systems)];
  if (program === undefined) {
    return system === undefined ? 'an unknown device' : `an app on ${system}`;
  }
  return system === undefined ? program : `${program} on ${system}`;
}

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

/** The text of the email about an event, and the advice to a user who had nothing to do with it. */
const noticeTexts: Readonly<
  Record<
    AccountNotice['event'],
    { readonly subject: string; readonly what: string; readonly unexpected: string }
  >
> = {
  'new-sign-in': {
    subject: 'New sign-in to your Switchboard account',
    what: 'Somebody signed in to your Switchboard account from a network that has not been used for it in the last 90 days.',
    unexpected:
      'If it was not you, somebody knows your password: change it, and look at the list of your sessions. A new password ends all other sessions.',
  },
  'password-changed': {
    subject: 'Your Switchboard password was changed',
    what: 'The password of your Switchboard account was changed. All other sessions have ended.',
    unexpected:
      'If it was not you, somebody knew your password: say on the login page that you have forgotten it, choose a new one, and tell an administrator of your organization.',
  },
  'password-reset': {
    subject: 'You have a new Switchboard password',
    what: 'A new password for your Switchboard account was chosen with the link from an email. All sessions have ended.',
    unexpected:
      'If it was not you, somebody reads your email: change the password of your mailbox first, then say on the login page of Switchboard that you have forgotten yours, and choose a new one.',
  },
  'role-changed': {
    subject: 'You have another role in Switchboard',
    what: 'An administrator has changed your role in Switchboard.',
    unexpected: 'If you did not expect this, ask an administrator of your organization.',
  },
  'email-changed': {
    subject: 'Your Switchboard account has another email address',
    what: 'The email address of your Switchboard account was changed; this email goes to the former one.',
    unexpected: 'If you did not expect this, tell an administrator of your organization at once.',
  },
  'factor-added': {
    subject: 'Your Switchboard account has a second factor',
    what: 'A second factor was added to your Switchboard account: logging in takes a code from now on.',
    unexpected:
      'If it was not you, somebody knows your password: tell an administrator of your organization or the operator of the service, who can take the factor away and end your sessions, and choose a new password.',
  },
  'factor-removed': {
    subject: 'A second factor of your Switchboard account was removed',
    what: 'A second factor was removed from your Switchboard account.',
    unexpected:
      'If you did not expect this, change your password, which ends all other sessions, add a second factor again, and tell an administrator of your organization.',
  },
};

/** The email about something that happened to an account. It has no link, so that nobody learns to follow links in such emails. */
export function accountNotice(notice: AccountNotice, at: Timestamp): OutgoingMail {
  const { subject, what, unexpected } = noticeTexts[notice.event];
  return {
    to: notice.email,
    subject,
    text: [
      what,
      [`When: ${inWords(at)}`, ...detailsOf(notice)].join('\n'),
      unexpected,
      'This email has no links. Open Switchboard the way you always do.',
    ].join('\n\n'),
  };
}

function detailsOf(notice: AccountNotice): string[] {
  if (notice.event === 'role-changed') {
    return [`Your role now: ${notice.role}`];
  }
  const { device } = notice;
  return device === undefined
    ? ['By: an administrator']
    : [
        `Device: ${deviceName(device)}`,
        ...(device.ipAddress === undefined ? [] : [`Address: ${device.ipAddress}`]),
      ];
}

/** Such as `28 November 2026 at 06:35 UTC`. */
function inWords(at: Timestamp): string {
  const words = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });
  return `${words.format(new Date(at))} UTC`;
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
