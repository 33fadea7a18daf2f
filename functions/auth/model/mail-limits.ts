import { Failure } from '../../../shared/kernel/failure.ts';
import { day, hour, minute } from '../../../shared/kernel/time.ts';
import type { MailLimits } from '../../../shared/organizations/newcomer-policy.ts';
import type { TableWriter } from '../../../shared/table/table.ts';
import { throttleKey } from './credentials.ts';
import type { Policy } from './login-policy.ts';
import { countAttempt } from './login-throttle.ts';

/** Links to choose a new password that one account gets within an hour. */
const resetsPerAccount = 5;

function policyOf(limit: number, window: number, refusal: string): Policy {
  const end: Policy['blockedUntil'] = ({ since }) => since + window;
  return { limit, window, blockedUntil: end, forgottenAt: end, forgives: false, refusal };
}

type Subject = Parameters<typeof throttleKey>;

/** Counts one for a subject. @throws a 429 `Failure` beyond the limit. */
function count(identity: TableWriter<'identity'>, subject: Subject, policy: Policy, now: Date) {
  return countAttempt(identity, { key: throttleKey(...subject), policy, failures: undefined }, now);
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
      await count(
        identity,
        ['RESET_ADDRESS', network],
        policyOf(limits.resetsPerAddress, 5 * minute, refusal),
        now,
      );
    }
    await count(identity, ['RESET', digest], policyOf(resetsPerAccount, hour, refusal), now);
    return true;
  } catch (error) {
    if (error instanceof Failure && error.code === 'TOO_MANY_ATTEMPTS') {
      return false;
    }
    throw error;
  }
}

/** Counts an invitation. @throws a 429 `Failure` when the organization or the recipient has had as many as it may. */
export async function countInvitation(
  identity: TableWriter<'identity'>,
  { organizationId, digest }: { readonly organizationId: string; readonly digest: string },
  limits: MailLimits | null,
  now: Date,
): Promise<void> {
  if (limits === null) {
    return;
  }
  await Promise.all([
    count(
      identity,
      ['INVITING', organizationId],
      policyOf(
        limits.invitationsPerDay,
        day,
        'Your organization has sent as many invitations as it may within a day. Try again later.',
      ),
      now,
    ),
    count(
      identity,
      ['INVITED', digest],
      policyOf(
        limits.invitationsPerRecipient,
        hour,
        'This address has been invited too often within the last hour. Try again later.',
      ),
      now,
    ),
  ]);
}
