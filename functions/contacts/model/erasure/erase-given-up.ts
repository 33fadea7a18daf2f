import { erasedContactRange, erasedSenderRange } from '../../../../shared/contacts/erased-contact.ts';
import type { Deadline } from '../../../../shared/kernel/deadline.ts';
import type { Ports } from '../../../../shared/kernel/operation.ts';
import { unpackedRequest } from '../../../../shared/kernel/serve/kept-request.ts';
import { second } from '../../../../shared/kernel/time.ts';
import { digestOf } from '../../../../shared/table/digest.ts';
import { type ErasedIn, withoutErased } from './failed-batch.ts';

/** What looking at one more takes at most. */
const reserve = 2 * second;

type Sources = Ports<{ platform: 'read'; organizations: 'read'; givenUp: 'erase' }>;

interface Figures {
  /** Dead letters that were looked at, and those of them that went back into their queue. */
  readonly deadLetters: number;
  readonly triedAgain: number;
  /** Failed batches that were looked at, and those that told of deleted contacts. */
  readonly batches: number;
  readonly shortened: number;
}

/** Takes deleted contacts out of what failed and waits to be processed again. */
export async function eraseGivenUp(
  { platform, organizations, givenUp }: Sources,
  now: Date,
  deadline: Deadline,
): Promise<Figures> {
  const letters = await endRequests({ platform, givenUp }, deadline);
  return { ...letters, ...(await shortenBatches({ organizations, givenUp }, now, deadline)) };
}

/**
 * Has kept requests tried again that are about a number of a deleted contact, of whatever organization: each is then dropped, applied,
 * or comes back.
 */
async function endRequests(
  { platform, givenUp }: Pick<Sources, 'platform' | 'givenUp'>,
  deadline: Deadline,
): Promise<Pick<Figures, 'deadLetters' | 'triedAgain'>> {
  const figures = { deadLetters: 0, triedAgain: 0 };
  for await (const { body, tryAgain } of givenUp.requests()) {
    const { about, receivedAt } = unpackedRequest(body);
    const erased = about === undefined ? [] : await platform.list(erasedSenderRange(digestOf(about)));
    figures.deadLetters += 1;
    if (erased.some(({ data }) => receivedAt <= data.at)) {
      await tryAgain();
      figures.triedAgain += 1;
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
): Promise<Pick<Figures, 'batches' | 'shortened'>> {
  const known = new Map<string, ReturnType<ErasedIn>>();
  const erasedIn: ErasedIn = (organizationId) => {
    const found =
      known.get(organizationId) ??
      organizations(organizationId)
        .list(erasedContactRange())
        .then((all) => new Set(all.map(({ key }) => key.sort[0] ?? '')));
    known.set(organizationId, found);
    return found;
  };
  const figures = { batches: 0, shortened: 0 };
  for await (const { text, replace } of givenUp.batches()) {
    const shorter = await withoutErased(text, erasedIn, now);
    figures.batches += 1;
    if (shorter !== text) {
      await replace(shorter);
      figures.shortened += 1;
    }
    if (deadline.left() < reserve) {
      break;
    }
  }
  return figures;
}
