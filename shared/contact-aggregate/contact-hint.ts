import { after, day } from '../kernel/time.ts';
import { digestOf } from '../table/digest.ts';
import type { PlatformKey } from '../table/key.ts';
import type { Action, TableReader, TableWriter } from '../table/table.ts';
import { aggregateOf, type ContactAggregate } from './contact-aggregate.ts';

/** Which contact last called or wrote to a number of an organization, or came by an outreach configuration. It holds only ids. */
export interface ContactHint {
  organizationId: string;
  contactId: string;
}

/**
 * By a digest of what a webhook's request names: so it can be read before the organization is known, and its contact beside the lock of
 * the number instead of after it. The lock alone decides: a hint that is wrong, missing or of another organization costs a round trip, and
 * nothing else.
 */
export const contactHintKey = (digest: string): PlatformKey<ContactHint> => ({
  partition: ['CONTACT_HINT', digest],
  sort: ['CONTACT_HINT'],
});

/** How long a hint is stored after it was written: contacts that are deleted meanwhile leave it behind. */
const keptFor = 30 * day;

/** A hint that is being read. */
export interface HintReading {
  readonly key: PlatformKey<ContactHint>;
  readonly platform: TableWriter<'platform'>;
  readonly found: Promise<ContactHint | undefined>;
}

/**
 * Begins to read a hint: half a read unit.
 * @param own the organization's number, or the id of its outreach configuration.
 * @param other the number or other address on the other end.
 */
export function readHint(platform: TableWriter<'platform'>, own: string, other: string): HintReading {
  const key = contactHintKey(digestOf(JSON.stringify([own, other])));
  // Nothing depends on a hint, so one that cannot be read is none.
  const found = platform.read(key, { consistent: false }).then(
    (stored) => stored?.data,
    () => undefined,
  );
  return { key, platform, found };
}

/** The contact that a hint names, which may have lost the number since. */
export interface HintedContact {
  readonly contactId: string;
  /** Undefined if it is not being read. */
  readonly aggregate: Promise<ContactAggregate | undefined> | undefined;
}

/**
 * The contact that the hint names; undefined if it names none of this organization.
 * @param readsAhead whether this begins to read the contact, although nobody has checked the signature of the request yet: only if it is
 * certain that the organization has the number, and only where that saves a round trip.
 */
export async function hintedContact(
  table: TableReader,
  hint: HintReading | undefined,
  { readsAhead }: { readonly readsAhead: boolean },
): Promise<HintedContact | undefined> {
  const found = await hint?.found;
  if (found === undefined || found.organizationId !== table.organizationId) {
    return undefined;
  }
  const { contactId } = found;
  const aggregate = readsAhead ? aggregateOf(table, contactId) : undefined;
  aggregate?.catch(() => undefined); // Awaited only if the contact has the number.
  return { contactId, aggregate };
}

/** The action that stores the contact as the hint for next time; none if that is what the hint said. */
export function hintActions(
  { organizationId }: TableReader,
  hint: HintReading | undefined,
  hinted: HintedContact | undefined,
  contactId: string,
  now: Date,
): Action[] {
  return hint === undefined || hinted?.contactId === contactId
    ? []
    : [hint.platform.put(hint.key, { organizationId, contactId }, { expiresAt: after(now, keptFor) })];
}
