import { Failure } from '../../../shared/kernel/failure.ts';
import { day, hour, minute } from '../../../shared/kernel/time.ts';
import type { MailLimits } from '../../../shared/organizations/newcomer-policy.ts';
import type { TableWriter } from '../../../shared/table/table.ts';
import { throttleKey } from './credentials.ts';
import type { Policy } from './login-policy.ts';
import { countAttempt, type Subject } from './login-throttle.ts';

/** Links to choose a new password that one account gets within an hour. */
const resetsPerAccount = 5;

function policyOf(limit: number, window: number, refusal: string): Policy {
  const end: Policy['blockedUntil'] = ({ since }) => since + window;
  return { limit, window, blockedUntil: end, forgottenAt: end, forgives: false, refusal };
}

/**
 * Counts a report of a forgotten password for the network that it comes from; false if that has had as many as it may. To be asked
 * whether there is an account or not: otherwise the mails that still come would tell.
 */
export async function mayReportFrom(
  network: string,
  identity: TableWriter<'identity'>,
  limits: MailLimits | null,
  now: Date,
): Promise<boolean> {
  if (limits === null) {
    return true;
  }
  const policy = policyOf(limits.resetsPerAddress, 5 * minute, unreadRefusal);
  return isBelow(identity, { key: throttleKey('RESET_ADDRESS', network), policy }, now);
}

/** Counts a mail about a forgotten password for its account; false if that has had as many as it may. */
export function mayReset(digest: string, identity: TableWriter<'identity'>, now: Date): Promise<boolean> {
  const policy = policyOf(resetsPerAccount, hour, unreadRefusal);
  return isBelow(identity, { key: throttleKey('RESET', digest), policy }, now);
}

/** Whoever asks gets the same response in every case. */
const unreadRefusal = 'Too many mails about forgotten passwords.';

async function isBelow(identity: TableWriter<'identity'>, subject: Subject, now: Date): Promise<boolean> {
  try {
    await countAttempt(identity, { ...subject, failures: undefined }, now);
    return true;
  } catch (error) {
    if (error instanceof Failure && error.code === 'TOO_MANY_ATTEMPTS') {
      return false;
    }
    throw error;
  }
}

/** The subjects that an invitation counts for: the organization and the recipient. */
export function invitationSubjects(
  { organizationId, digest }: { readonly organizationId: string; readonly digest: string },
  limits: MailLimits | null,
): Subject[] {
  if (limits === null) {
    return [];
  }
  return [
    {
      key: throttleKey('INVITING', organizationId),
      policy: policyOf(
        limits.invitationsPerDay,
        day,
        'Your organization has sent as many invitations as it may within a day. Try again later.',
      ),
    },
    {
      key: throttleKey('INVITED', digest),
      policy: policyOf(
        limits.invitationsPerRecipient,
        hour,
        'This address has been invited too often within the last hour. Try again later.',
      ),
    },
  ];
}
