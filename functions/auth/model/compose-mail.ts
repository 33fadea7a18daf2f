import type {
  FailedMail,
  MailProvider,
  OutgoingMail,
} from '../../../shared/kernel/providers/mail-provider.ts';
import { organizationKey } from '../../../shared/organizations/organization.ts';
import type {
  AccountNotice,
  ForgottenPassword,
  InvitationMail,
  QueuedMail,
} from '../../../shared/organizations/queued-mail.ts';
import type { TrialPolicy } from '../../../shared/organizations/trial-policy.ts';
import { fullName, userKey } from '../../../shared/organizations/user.ts';
import type { IdentityKey } from '../../../shared/table/key.ts';
import type { TableWriter } from '../../../shared/table/table.ts';
import { findCredentials } from './credentials.ts';
import { emailDigest } from './email.ts';
import { forgottenAt, invitationKey, invitationStatus } from './invitation.ts';
import { mayInvite } from './invitation-rules.ts';
import { countNotice, countReportFrom, countReset } from './mail-limits.ts';
import { accountNotice, invitationMail, resetMail } from './mail-texts.ts';
import { newOneTimeToken } from './one-time-token.ts';
import { issueReset } from './password-reset.ts';

export interface MailContext {
  readonly identity: TableWriter<'identity'>;
  readonly organizations: (organizationId: string) => TableWriter;
  readonly trialPolicy: TrialPolicy;
  readonly mail: MailProvider;
  readonly now: Date;
  /** Waits until no other run is sending an email of this account, and keeps others waiting until this email is sent. */
  readonly leaseAccount: (account: IdentityKey<unknown>) => Promise<void>;
  /** Whether nobody has tried to send this email before. */
  readonly isFirst: boolean;
}

/**
 * Composes a queued email with a new token, and stores the token's digest; the token of an earlier try stops working. Undefined if there
 * is nothing to send (any more); a failure if nobody could use the link.
 */
export function composeMail(
  queued: QueuedMail,
  context: MailContext,
): Promise<OutgoingMail | FailedMail | undefined> {
  switch (queued.kind) {
    case 'account-notice':
      return composedNotice(queued, context);
    case 'forgotten-password':
      return composedReset(queued, context);
    case 'invitation':
      return composedInvitation(queued, context);
  }
}

/** Nothing for an address that has had too many of this kind, and nothing where no mail can be sent: nobody asked for this email. */
async function composedNotice(
  notice: AccountNotice & Pick<QueuedMail, 'queuedAt'>,
  { identity, mail, now, isFirst }: MailContext,
): Promise<OutgoingMail | undefined> {
  if (!mail.isConfigured) {
    return undefined;
  }
  const isAllowed = !isFirst || (await countNotice(emailDigest(notice.email), notice.event, identity, now));
  return isAllowed ? accountNotice(notice, notice.queuedAt) : undefined;
}

/** Nothing for an address without an account, for a disabled user, and for an account or a source that has had too many. */
async function composedReset(
  { email, network }: ForgottenPassword,
  { identity, organizations, trialPolicy, mail, now, leaseAccount, isFirst }: MailContext,
): Promise<OutgoingMail | undefined> {
  if (isFirst && !(await countReportFrom(network, identity, trialPolicy.mail, now))) {
    return undefined;
  }
  const digest = emailDigest(email);
  const found = await findCredentials(identity, email);
  if (found === undefined) {
    return undefined;
  }
  const { data: credentials, key: account } = found;
  const user = (await organizations(credentials.organizationId).read(userKey(credentials.userId)))?.data;
  if (user === undefined || user.disabled) {
    return undefined;
  }
  if (isFirst && !(await countReset(digest, identity, now))) {
    return undefined;
  }
  // A newer token replaces the one before: the email that is sent last must be the one with the latest.
  await leaseAccount(account);
  return resetMail(user.email, await issueReset(identity, user, now), mail);
}

const inviterLost: FailedMail = {
  status: 'failed',
  reason:
    'The user who sent the invitation has been disabled or may no longer assign this role. Invite the address again.',
  isExpected: true,
};

/** Nothing for an invitation that was deleted, replaced, accepted or has expired. */
async function composedInvitation(
  { organizationId, invitationId }: InvitationMail,
  { organizations, mail, now }: MailContext,
): Promise<OutgoingMail | FailedMail | undefined> {
  const table = organizations(organizationId);
  return table.optimistically(async () => {
    const [stored, organization] = await Promise.all([
      table.read(invitationKey(invitationId)),
      table.read(organizationKey()),
    ]);
    if (
      stored === undefined ||
      organization === undefined ||
      invitationStatus(stored.data, now) !== 'pending'
    ) {
      return undefined;
    }
    const { email, invitedBy } = stored.data;
    const inviter = await organizations(invitedBy.organizationId).read(userKey(invitedBy.userId));
    if (inviter === undefined || !mayInvite(inviter.data, stored.data)) {
      return inviterLost;
    }
    const { text, digest } = newOneTimeToken(organizationId, invitationId);
    await table.commit([
      table.replace(stored, { ...stored.data, tokenDigest: digest }, { expiresAt: forgottenAt(stored.data) }),
    ]);
    const names = { organization: organization.data.name, inviter: fullName(inviter.data) };
    return invitationMail(email, text, names, mail);
  });
}
