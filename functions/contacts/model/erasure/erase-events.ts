import { decodeTime } from 'ulid';
import { contactTombstoneRange } from '../../../../shared/contacts/tombstones.ts';
import { eventRanges, lowestIdAt, settledBefore } from '../../../../shared/events/event-log.ts';
import { eventKeyFor, replayHours, type StoredEvent } from '../../../../shared/events/outbox.ts';
import { deliveryKey } from '../../../../shared/events/webhook-delivery.ts';
import { endpointRange } from '../../../../shared/events/webhook-endpoint.ts';
import type { Deadline } from '../../../../shared/kernel/deadline.ts';
import type { Ports } from '../../../../shared/kernel/operation.ts';
import { unpacked } from '../../../../shared/kernel/packing.ts';
import { after, hour, second, timestamp } from '../../../../shared/kernel/time.ts';
import type { PlatformKey, PlatformRange } from '../../../../shared/table/key.ts';
import { type Stored, type TableWriter, VersionConflict } from '../../../../shared/table/table.ts';

/** Milliseconds that one more batch of events takes at most. */
const reserve = 3 * second;

/**
 * An organization that has deleted contacts whose events may still be there. Events lie by their hour and not by their contact, so a run
 * every half hour reads those of the organization once, however many contacts it has deleted meanwhile.
 */
export const unerasedEventsKey = (organizationId: string): PlatformKey<never> => ({
  partition: ['UNERASED_EVENTS'],
  sort: [organizationId],
});

const unerasedEventsRange = (): PlatformRange<never> => ({ partition: ['UNERASED_EVENTS'] });

/** Marks it. What a run has already looked at is looked at again. */
export async function markUnerasedEvents(
  platform: TableWriter<'platform'>,
  organizationId: string,
  now: Date,
): Promise<void> {
  await platform.update(unerasedEventsKey(organizationId), {
    update: 'SET erasedAt = :erasedAt REMOVE reached',
    values: { erasedAt: timestamp(now) },
  });
}

type Tables = Ports<{ platform: 'write'; organizations: 'write' }>;

/**
 * Erases the events of deleted contacts, with what was posted of them to webhook endpoints, of one organization after the other, the
 * longest waiting first. A deletion waits until no request that began before it can write an event any more. The next run goes on where
 * the time of this one ends.
 * @returns how many events there were.
 */
export async function eraseEvents(
  { platform, organizations }: Tables,
  now: Date,
  deadline: Deadline,
): Promise<{ events: number }> {
  const settled = timestamp(settledBefore(now));
  const noted = await platform.list(unerasedEventsRange());
  const due = noted
    .filter((note) => erasedAtIn(note) < settled)
    .toSorted((one, other) => (erasedAtIn(one) < erasedAtIn(other) ? -1 : 1));
  let events = 0;
  const isTimeUp = () => deadline.left() < reserve;
  for (const note of due) {
    if (isTimeUp()) {
      break;
    }
    const [organizationId = ''] = note.key.sort;
    const from = String(note.attributes?.reached ?? lowestIdAt(after(now, -(replayHours + 1) * hour)));
    const { erased, reached } = await eraseEventsIn(organizations(organizationId), from, now, isTimeUp);
    events += erased;
    const same = { when: 'erasedAt = :erasedAt', values: { erasedAt: erasedAtIn(note) } };
    const change = { ...same, update: 'SET reached = :reached' };
    const action =
      reached === undefined
        ? platform.delete(note.key, same)
        : platform.updateAction(note.key, { ...change, values: { ...same.values, reached } });
    // Another contact was deleted meanwhile: the next run begins anew.
    await platform.commit([action]).catch(ignoreConflict);
  }
  return { events };
}

const erasedAtIn = ({ attributes }: Stored<never, 'platform'>) => String(attributes?.erasedAt);

/** @returns the id up to which events were looked at if the time was up before all were. */
async function eraseEventsIn(
  table: TableWriter,
  from: string,
  now: Date,
  isTimeUp: () => boolean,
): Promise<{ erased: number; reached: string | undefined }> {
  const [tombstones, endpoints] = await Promise.all([
    table.list(contactTombstoneRange()),
    table.list(endpointRange()),
  ]);
  const contactIds = new Set(tombstones.map(({ key }) => key.sort[0] ?? ''));
  let erased = 0;
  for (const range of eventRanges(new Date(decodeTime(from)), now, undefined, from)) {
    for await (const rows of table.rows(range, { consistent: false })) {
      const events = rows.map(({ data = '' }) => unpacked<StoredEvent>(data));
      const ids = events.filter((event) => isErasedWith(event, contactIds)).map(({ id }) => id);
      // Nothing leads to deliveries without their events, so these go last.
      await table.deleteMany(ids.flatMap((id) => endpoints.map(({ data: { _id } }) => deliveryKey(_id, id))));
      await table.deleteMany(ids.map(eventKeyFor));
      erased += ids.length;
      if (isTimeUp()) {
        return { erased, reached: events.at(-1)?.id ?? from };
      }
    }
  }
  return { erased, reached: undefined };
}

/** Whether an event goes with one of these contacts. That a contact was removed stays, and has only ids. */
function isErasedWith({ event, data: { contactId } }: StoredEvent, contactIds: ReadonlySet<string>): boolean {
  return event !== 'contact_removed' && typeof contactId === 'string' && contactIds.has(contactId);
}

function ignoreConflict(error: unknown): void {
  if (!(error instanceof VersionConflict)) {
    throw error;
  }
}
