import { isDeepStrictEqual } from 'node:util';
import {
  type ContactAggregate,
  readAggregate,
  toContactState,
} from '../../../shared/contact-aggregate/contact-aggregate.ts';
import { contactWrites } from '../../../shared/contact-aggregate/contact-writes.ts';
import { isHeldBy, lockHolder, stateAction } from '../../../shared/contact-aggregate/number-locks.ts';
import { type Consent, toConsent, withStatedConsent } from '../../../shared/contacts/consent.ts';
import { contactEvent } from '../../../shared/contacts/contact-events.ts';
import { phoneLockKey } from '../../../shared/contacts/phone-numbers.ts';
import { type Pipeline, readPipelines } from '../../../shared/contacts/pipeline.ts';
import { stageById } from '../../../shared/contacts/stages.ts';
import { DeletedSince } from '../../../shared/contacts/tombstones.ts';
import { eventAction, type NewEvent } from '../../../shared/events/outbox.ts';
import type { ClockAndIds } from '../../../shared/kernel/operation.ts';
import { timestamp } from '../../../shared/kernel/time.ts';
import { type Action, type TableWriter, VersionConflict } from '../../../shared/table/table.ts';
import type { IncomingSms } from './incoming-sms.ts';
import { consentIn } from './opt-out-words.ts';

/** The actions that record what was said about a number of a contact, and the event if its consent then looks different. */
export interface ConsentWrite {
  readonly actions: readonly Action[];
  readonly event: NewEvent | undefined;
}

/** Undefined if it changes nothing. */
function consentWrite(
  table: TableWriter,
  aggregate: ContactAggregate,
  pipelines: readonly Pipeline[],
  address: string,
  said: Consent,
): ConsentWrite | undefined {
  const before = aggregate.contact.data;
  const contact = withStatedConsent(before, address, said);
  if (contact === before) {
    return undefined;
  }
  const isShown = !isDeepStrictEqual(toConsent(contact), toConsent(before));
  const stage = stageById(pipelines, contact.stageId);
  return {
    actions: contactWrites(table, aggregate, { ...toContactState(aggregate), contact }),
    event: isShown ? contactEvent('contact_updated', contact, stage, before) : undefined,
  };
}

/**
 * Stores a message that may have waited. If its contact was deleted after it came in, it is not stored, but what it said about texts to its
 * number counts all the same: that belongs to the number.
 * @throws what `store` throws.
 */
export async function storeOrStateConsent<Result>(
  table: TableWriter,
  sms: IncomingSms,
  receivedAt: Date,
  clock: ClockAndIds,
  store: () => Promise<Result>,
): Promise<Result> {
  try {
    return await store();
  } catch (error) {
    const said = error instanceof DeletedSince ? consentIn(sms, timestamp(receivedAt)) : undefined;
    if (said !== undefined) {
      await stateConsent(table, sms.from, said, clock);
    }
    throw error;
  }
}

/** Records it with the contact that has the number now or, if none has, with the number alone. */
export function stateConsent(
  table: TableWriter,
  address: string,
  said: Consent,
  { now, newId }: ClockAndIds,
): Promise<void> {
  const eventId = newId();
  return table.optimistically(async () => {
    const lock = await table.read(phoneLockKey(address));
    const holder = lockHolder(lock);
    if (holder === undefined) {
      return table.commit([stateAction(table, address, lock, said)]);
    }
    const [aggregate, { data }] = await Promise.all([readAggregate(table, holder), readPipelines(table)]);
    if (aggregate === undefined || !isHeldBy(lock, aggregate.contact.data)) {
      throw new VersionConflict();
    }
    const write = consentWrite(table, aggregate, data.pipelines, address, said);
    const event = write?.event && eventAction(table, write.event, eventId, now);
    return table.commit([...(write?.actions ?? []), ...(event === undefined ? [] : [event])]);
  });
}
