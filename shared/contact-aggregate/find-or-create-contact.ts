import type { StoredContact } from '../contacts/contact.ts';
import { contactEvent } from '../contacts/contact-events.ts';
import type { PhoneLock } from '../contacts/phone-numbers.ts';
import type { NewEvent } from '../live/outbox.ts';
import { withKnownPipelines } from '../pipelines/known-pipelines.ts';
import type { Pipeline } from '../pipelines/pipeline.ts';
import { type Entrance, entryStage, type StagePlace } from '../pipelines/stages.ts';
import { type Step, type Stored, type TableWriter, VersionConflict } from '../table/table.ts';
import { aggregateOf, type ContactAggregate, type ContactState, stateOf } from './contact-aggregate.ts';
import { contactWrites } from './contact-writes.ts';

/** A contact that a call, a message or a lead is about to write: one that is there, or a new one. */
export interface WritableContact {
  readonly isNew: boolean;
  /** What is there; of a new contact, the contact alone. */
  readonly state: ContactState;
  /** The steps that store it as `after`, none for `state` itself; and the event that tells of a new one. */
  writes(after: ContactState): { readonly steps: readonly Step[]; readonly events: readonly NewEvent[] };
}

/** What the caller has read of a phone number, beside whatever else it needs. */
export interface PhoneLookup {
  /** What lies at the number's `phoneLockKey`: the contact that has it. */
  readonly lock: Stored<PhoneLock> | undefined;
  /** The current pipelines, where the caller has read them; otherwise those that the process remembers are tried first. */
  readonly pipelines?: readonly Pipeline[];
  /** Where a new contact should enter; the default stage unless stated. */
  readonly entrance?: Entrance;
}

/**
 * Calls `write` with the contact that has the phone number, whoever may see it; or, while nobody has it, with a new contact
 * in the stage of `entryStage`. What `write` commits locks the number too: of two that want it at the same moment, one fails.
 * @throws `VersionConflict` when somebody else gets the number, or its contact goes away, at this moment: read the lock again;
 * a 404 `Failure` for a number that nobody has while there is no Contact pipeline at all.
 */
export async function findOrCreateContactByPhone<Result>(
  table: TableWriter,
  { lock, pipelines, entrance }: PhoneLookup,
  newContact: (place: StagePlace) => StoredContact,
  write: (contact: WritableContact) => Promise<Result>,
): Promise<Result> {
  if (lock !== undefined) {
    const aggregate = await aggregateOf(table, lock.data.contactId);
    if (aggregate === undefined) {
      throw new VersionConflict();
    }
    return write(storedContact(table, aggregate));
  }
  const create = async (known: readonly Pipeline[]) => {
    const place = entryStage(known, entrance);
    return write({
      isNew: true,
      state: { contact: newContact(place), conversations: [], applications: [] },
      writes: (after) => ({
        steps: contactWrites(table, undefined, after, { guard: place.guard, phoneTaken: 'look again' }),
        events: [contactEvent('contact_created', after.contact, place.stage)],
      }),
    });
  };
  return pipelines === undefined ? withKnownPipelines(table, create) : create(pipelines);
}

/** A contact that is there, to be written. */
export function storedContact(table: TableWriter, aggregate: ContactAggregate): WritableContact {
  const state = stateOf(aggregate);
  return {
    isNew: false,
    state,
    writes: (after) => ({ steps: after === state ? [] : contactWrites(table, aggregate, after), events: [] }),
  };
}
