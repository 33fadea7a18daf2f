import { Failure } from '../../../shared/kernel/failure.ts';
import { day, hour, minute } from '../../../shared/kernel/time.ts';
import type { MailLimits } from '../../../shared/organizations/trial-policy.ts';
import { toDigest } from '../../../shared/table/digest.ts';
import type { Stored, TableWriter } from '../../../shared/table/table.ts';
import { throttleKey } from './credentials.ts';
import { authLimits, windowPolicy } from './login-policy.ts';
import { countAttempt, type Subject, type Throttle, toThrottle } from './throttle.ts';

/** Links to choose a new password that one account gets within an hour. */
const resetsPerAccount = 5;

/**
 * Emails about one kind of event that an address gets within an hour: nobody has to prove that an address is theirs, and may sign in
 * there from any number of networks.
 */
const noticesOfAKind = 3;

/**
 * Counts a report of a forgotten password for the network that it comes from; false if that network has used up its limit. Call it
 * whether or not there is an account: otherwise the emails that still arrive would reveal which accounts exist.
 */
export async function countReportFrom(
  network: string,
  identity: TableWriter<'identity'>,
  limits: MailLimits | null,
  now: Date,
): Promise<boolean> {
  if (limits === null) {
    return true;
  }
  const policy = windowPolicy(limits.resetsPerAddress, 5 * minute, unreadRefusal);
  return isBelow(identity, { key: throttleKey('RESET_ADDRESS', network), policy }, now);
}

/** Counts an email about a forgotten password for its account; false if the account has used up its limit. */
export function countReset(digest: string, identity: TableWriter<'identity'>, now: Date): Promise<boolean> {
  const policy = windowPolicy(resetsPerAccount, hour, unreadRefusal);
  return isBelow(identity, { key: throttleKey('RESET', digest), policy }, now);
}

/** Counts an email about this kind of event for the address that it goes to; false if that has used up its limit. */
export function countNotice(
  digest: string,
  event: string,
  identity: TableWriter<'identity'>,
  now: Date,
): Promise<boolean> {
  const policy = windowPolicy(noticesOfAKind, hour, unreadRefusal);
  const subject = toDigest(JSON.stringify([digest, event]));
  return isBelow(identity, { key: throttleKey('NOTICE', subject), policy }, now);
}

/** Not shown to clients: the response is the same in every case. */
const unreadRefusal = 'Too many emails of this kind.';

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

/** The subjects that are read of an invitation: its organization, its recipient, and both together. */
export function invitationKeys(organizationId: string, digest: string) {
  return [
    throttleKey('INVITING', organizationId),
    throttleKey('INVITED', digest),
    throttleKey('INVITED', toDigest(JSON.stringify([organizationId, digest]))),
  ] as const;
}

/**
 * An invitation counts towards the limit of its organization and that of its recipient. Organizations that anybody can found share the
 * recipient's limit; an organization with a limit set by a SUPERADMIN has a separate one, which others cannot use up.
 * @param read the attributes at the keys of `invitationKeys`.
 */
export function invitationThrottles(
  [inviting, invited, invitedHere]: ReturnType<typeof invitationKeys>,
  read: readonly (Stored<never, 'identity'>['attributes'] | undefined)[],
  ownPerDay: number | null,
  limits: MailLimits | null,
): Throttle[] {
  const perDay = ownPerDay ?? limits?.invitationsPerDay;
  const ofTheDay =
    perDay === undefined
      ? []
      : [
          toThrottle(
            { key: inviting, policy: windowPolicy(perDay, day, tooManyToday, authLimits.inviting) },
            read[0],
          ),
        ];
  if (limits === null) {
    return ofTheDay;
  }
  const policy = windowPolicy(limits.invitationsPerRecipient, hour, tooManyToOne, authLimits.invited);
  return [
    ...ofTheDay,
    ownPerDay === null
      ? toThrottle({ key: invited, policy }, read[1])
      : toThrottle({ key: invitedHere, policy }, read[2]),
  ];
}

const tooManyToday =
  'Your organization has reached its daily limit of invitations. Try again later, or ask the operator of this service to raise the limit.';
const tooManyToOne =
  'This address has been invited too often within the last hour. Try again later, or ask the operator of this service to set a limit for your organization.';
