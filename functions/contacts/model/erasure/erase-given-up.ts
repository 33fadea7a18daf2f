import { numberLockName } from '../../../../shared/contacts/phone-numbers.ts';
import {
  contactTombstoneRange,
  isBeforeTombstone,
  senderTombstoneRange,
} from '../../../../shared/contacts/tombstones.ts';
import type { Deadline } from '../../../../shared/kernel/deadline.ts';
import { Failure } from '../../../../shared/kernel/failure.ts';
import type { Ports } from '../../../../shared/kernel/operation.ts';
import { givenUpKeptFor } from '../../../../shared/kernel/providers/given-up.ts';
import { unpackedRequest } from '../../../../shared/kernel/serve/deferred-request.ts';
import { after, second, timestamp } from '../../../../shared/kernel/time.ts';
import { type DeletedContactsIn, dropDeletedContacts } from './failed-batch.ts';

/** Milliseconds that one more takes at most. */
const reserve = 2 * second;

type Sources = Ports<{ platform: 'read'; organizations: 'read'; givenUp: 'erase' }>;

interface Figures {
  /** Dead letters that were looked at, that went back into their queue, and that were deleted. */
  readonly deadLetters: number;
  readonly triedAgain: number;
  readonly dropped: number;
  /** Failed batches that were looked at, and batches that told of deleted contacts. */
  readonly batches: number;
  readonly shortened: number;
  /** How many of both cannot be read, perhaps because another version wrote them. They hold up no others. */
  readonly unreadable: number;
}

/** Removes deleted contacts from the work that failed and waits to be processed again. */
export async function eraseGivenUp(
  { platform, organizations, givenUp }: Sources,
  now: Date,
  deadline: Deadline,
): Promise<Figures> {
  const letters = await endRequests({ platform, givenUp }, now, deadline);
  const batches = await shortenBatches({ organizations, givenUp }, now, deadline);
  return { ...letters, ...batches, unreadable: letters.unreadable + batches.unreadable };
}

/** The result of `read`; undefined for what cannot be read. @throws a `Failure` of the table. */
async function readable<Result>(read: () => Result | Promise<Result>): Promise<Result | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof Failure) {
      throw error;
    }
    return undefined;
  }
}

/**
 * Has deferred requests tried again that are about a number of a deleted contact, of whatever organization: each is then dropped, applied,
 * or comes back. One that comes back again and again ends after the time for which all others are kept.
 */
async function endRequests(
  { platform, givenUp }: Pick<Sources, 'platform' | 'givenUp'>,
  now: Date,
  deadline: Deadline,
): Promise<Pick<Figures, 'deadLetters' | 'triedAgain' | 'dropped' | 'unreadable'>> {
  const figures = { deadLetters: 0, triedAgain: 0, dropped: 0, unreadable: 0 };
  const tooOld = timestamp(after(now, -givenUpKeptFor));
  for await (const { body, tryAgain, drop } of givenUp.requests()) {
    const request = await readable(() => unpackedRequest(body));
    const { about, receivedAt = '' } = request ?? {};
    const senders =
      about === undefined ? [] : await platform.list(senderTombstoneRange(numberLockName(about)));
    figures.deadLetters += 1;
    figures.unreadable += request === undefined ? 1 : 0;
    if (senders.some((sender) => isBeforeTombstone(sender, receivedAt))) {
      const isTooOld = receivedAt < tooOld;
      await (isTooOld ? drop() : tryAgain());
      figures[isTooOld ? 'dropped' : 'triedAgain'] += 1;
    }
    if (deadline.left() < 2 * reserve) {
      break;
    }
  }
  return figures;
}

async function shortenBatches(
  { organizations, givenUp }: Pick<Sources, 'organizations' | 'givenUp'>,
  now: Date,
  deadline: Deadline,
): Promise<Pick<Figures, 'batches' | 'shortened' | 'unreadable'>> {
  const known = new Map<string, ReturnType<DeletedContactsIn>>();
  const deletedContactsIn: DeletedContactsIn = (organizationId) => {
    const found =
      known.get(organizationId) ??
      organizations(organizationId)
        .list(contactTombstoneRange())
        .then((all) => new Set(all.map(({ key }) => key.sort[0] ?? '')));
    known.set(organizationId, found);
    return found;
  };
  const figures = { batches: 0, shortened: 0, unreadable: 0 };
  for await (const { text, replace } of givenUp.batches()) {
    const read = await readable(async () => ({
      shorter: await dropDeletedContacts(text, deletedContactsIn, now),
    }));
    figures.batches += 1;
    figures.unreadable += read === undefined ? 1 : 0;
    if (read !== undefined && read.shorter !== text) {
      await replace(read.shorter);
      figures.shortened += 1;
    }
    if (deadline.left() < reserve) {
      break;
    }
  }
  return figures;
}
