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

/** Counts a mail about a forgotten password; false if the account or the source has had as many as it may. */
export async function mayReset(
  identity: TableWriter<'identity'>,
  { digest, network }: { readonly digest: string; readonly network: string },
  limits: MailLimits | null,
  now: Date,
): Promise<boolean> {
  // Nobody reads the refusals: whoever asks gets the same response in every case.
  const refusal = 'Too many mails about forgotten passwords.';
  try {
    if (limits !== null) {
      const policy = policyOf(limits.resetsPerAddress, 5 * minute, refusal);
      await countAttempt(
        identity,
        { key: throttleKey('RESET_ADDRESS', network), policy, failures: undefined },
        now,
      );
    }
    const policy = policyOf(resetsPerAccount, hour, refusal);
    await countAttempt(identity, { key: throttleKey('RESET', digest), policy, failures: undefined }, now);
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
