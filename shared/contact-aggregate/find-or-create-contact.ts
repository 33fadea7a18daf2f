import { withConsentsOfNumbers } from '../contacts/consent.ts';
import { contactSenders, restored, type StoredContact } from '../contacts/contact.ts';
import { contactEvent, contactRestored } from '../contacts/contact-events.ts';
import { type Pipeline, readPipelines } from '../contacts/pipeline.ts';
import { entryStage, type PreferredStage, type StageRef } from '../contacts/stages.ts';
import type { NewEvent } from '../events/outbox.ts';
import type { Timestamp } from '../kernel/time.ts';
import { type Action, type Stored, type TableWriter, VersionConflict } from '../table/table.ts';
import {
  type ContactAggregate,
  type ContactState,
  readAggregate,
  toContactState,
} from './contact-aggregate.ts';
import { contactWrites } from './contact-writes.ts';
import { isHeldBy, lockHolder, type ReleasedLocks, releasedLock } from './number-locks.ts';

/** A contact that a call, a message or a lead will write: an existing one, or a new one. */
export interface WritableContact {
  readonly isNew: boolean;
  /** Whether it was archived until now. */
  readonly isRestored: boolean;
  /** For a new contact, only the contact. An archived contact is restored. */
  readonly state: ContactState;
  /**
   * The actions that store it as `after`, none for an existing contact that stays as it is, and the event for one that is new or restored.
   */
  writes(after: ContactState): { readonly actions: readonly Action[]; readonly events: readonly NewEvent[] };
}

/** The records that the caller has read about a phone number. */
export interface PhoneLookup {
  /** The record at the number's `phoneLockKey`: the contact that has it, or the consent for one that no contact has. */
  readonly lock: Stored<never> | undefined;
  /** When it is written, if it was archived. */
  readonly at: Timestamp;
  /** All of the organization; read for a new contact unless stated. */
  readonly pipelines?: readonly Pipeline[];
  /** The stage for a new contact; the default stage unless stated. */
  readonly preferred?: PreferredStage;
}

/**
 * Calls `write` with the contact that has the phone number, whether or not the caller may see it, or with a new contact in the stage of
 * `entryStage`. The commit of `write` also locks the number: of two simultaneous ones, one fails.
 * @throws `VersionConflict` when somebody else gets the number, or its contact is deleted, at this moment: read the lock again; a
 * 404 `Failure` for an unknown number when there is no Contact pipeline.
 */
export async function findOrCreateContactByPhone<Result>(
  table: TableWriter,
  { lock, at, pipelines, preferred }: PhoneLookup,
  newContact: (stageRef: StageRef) => StoredContact | Promise<StoredContact>,
  write: (contact: WritableContact) => Promise<Result>,
): Promise<Result> {
  const contactId = lockHolder(lock);
  if (contactId !== undefined) {
    const aggregate = await readAggregate(table, contactId);
    // It may have been deleted, or may have lost the number, after the lock was read.
    if (aggregate === undefined || !isHeldBy(lock, aggregate.contact.data)) {
      throw new VersionConflict();
    }
    return write(storedContact(table, aggregate, at));
  }
  const stageRef = entryStage(pipelines ?? (await readPipelines(table)).data.pipelines, preferred);
  const created = await newContact(stageRef);
  const found = releasedLock(lock);
  const released: ReleasedLocks = new Map(
    found && contactSenders(created).map((address) => [address, found]),
  );
  const contact = withConsentsOfNumbers(undefined, created, released);
  return write({
    isNew: true,
    isRestored: false,
    state: { contact, conversations: [], applications: [] },
    writes: (after) => ({
      actions: contactWrites(table, undefined, after, { sought: contactSenders(contact), released }),
      events: [contactEvent('contact_created', after.contact, stageRef.stage)],
    }),
  });
}

/** An existing contact, for a write that restores it if it is archived. */
export function storedContact(
  table: TableWriter,
  aggregate: ContactAggregate,
  at: Timestamp,
): WritableContact {
  const state = restoredState(aggregate, at);
  const isRestored = aggregate.contact.data.archivedAt !== undefined;
  return {
    isNew: false,
    isRestored,
    state,
    writes: (after) => ({
      actions: after === state && !isRestored ? [] : contactWrites(table, aggregate, after),
      events: isRestored ? [contactRestored(after.contact)] : [],
    }),
  };
}

/** The aggregate for a write that restores an archived contact: somebody has to do with it again. */
export function restoredState(aggregate: ContactAggregate, at: Timestamp): ContactState {
  const state = toContactState(aggregate);
  return { ...state, contact: restored(state.contact, at) };
}
