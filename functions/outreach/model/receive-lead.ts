import { applicationEvent } from '../../../shared/applications/application-events.ts';
import { shardOf } from '../../../shared/board/entries.ts';
import {
  type Dossier,
  dossierOf,
  type Filed,
  filedIn,
} from '../../../shared/contact-aggregate/contact-aggregate.ts';
import { filingSteps } from '../../../shared/contact-aggregate/contact-writes.ts';
import { entering } from '../../../shared/contact-aggregate/create-contact-writes.ts';
import { isUnchanged } from '../../../shared/contacts/contact.ts';
import { contactEvent } from '../../../shared/contacts/contact-events.ts';
import { conversationOn } from '../../../shared/conversations/correspondence.ts';
import { eventStep, type NewEvent } from '../../../shared/live/outbox.ts';
import { entryStage } from '../../../shared/pipelines/entry-stage.ts';
import { type Step, type TableReader, VersionConflict } from '../../../shared/table/table.ts';
import { type Timestamp, timestamp } from '../../../shared/time.ts';
import type { Lead } from './lead.ts';
import { applicationFrom, type BelongingIds, withApplication, withSmsConversation } from './lead-children.ts';
import { contactOfLead, fieldsLeftOut, type Gifts, withLead } from './lead-contact.ts';
import { counterOf, dayOf, oneMoreLead } from './lead-counting.ts';
import type { Destination } from './lead-target.ts';

/** Identifiers that every try of a lead keeps. */
export interface LeadIds extends BelongingIds {
  readonly contact: string;
  /** In order, so that clients learn of a contact before its application. */
  readonly events: readonly string[];
}

/** What became of a lead. */
export interface ReceivedLead {
  readonly contactId: string;
  readonly conversationId: string;
  readonly applicationId: string | null;
  /** Whether it made the contact. */
  readonly isNew: boolean;
  /** Custom fields that the contact has no room for. */
  readonly leftOut: number;
}

/**
 * Stores a lead, tells of it, and counts it, in one transaction. One that says nothing new is only counted.
 * @throws `VersionConflict` when somebody else wrote the contact meanwhile; a 404 `Failure` without any Contact pipeline.
 */
export async function receivedLead(
  destination: Destination,
  lead: Lead,
  ids: LeadIds,
  now: Date,
): Promise<ReceivedLead> {
  const { table, configuration, pipelines, contactId } = destination;
  const at = timestamp(now);
  const [dossier, owner] = await Promise.all([
    contactId === undefined ? undefined : existingDossier(table, contactId),
    destination.owner(),
  ]);
  const gifts = { source: configuration.source, owner };
  const { filed, steps, event } =
    dossier === undefined
      ? fromStranger(destination, lead, gifts, ids, at)
      : fromContact(destination, dossier, lead, gifts, ids, at);
  const { contact } = filed;
  const application = applicationFrom(filed, configuration);
  const isMade =
    application !== undefined && !dossier?.applications.some(({ data }) => data._id === application._id);
  const events = [
    ...(event === undefined ? [] : [event]),
    ...(isMade ? [applicationEvent(contact, undefined, application, pipelines)] : []),
  ];

  const group = {
    day: dayOf(at),
    configurationId: configuration._id,
    ownerId: contact.owner,
    source: configuration.source,
  };
  const counter = counterOf(group, shardOf(contact._id));
  const oneMore = oneMoreLead(group, { isNew: dossier === undefined, applications: isMade ? 1 : 0 });
  // A transaction even where nothing else is written: it alone knows its own repetition after others have counted here too.
  await table.commit([
    ...steps,
    ...events.map((one, index) => eventStep(table, one, ids.events[index] ?? '', now)),
    table.change(counter, oneMore),
  ]);
  return {
    contactId: contact._id,
    conversationId: conversationOn(filed, 'sms')?._id ?? '',
    applicationId: configuration.createApplication ? (application?._id ?? null) : null,
    isNew: dossier === undefined,
    leftOut: fieldsLeftOut(contact, lead),
  };
}

/** The contact may go away between the look-up of its number and this. */
async function existingDossier(table: TableReader, contactId: string): Promise<Dossier> {
  const dossier = await dossierOf(table, contactId);
  if (dossier === undefined) {
    throw new VersionConflict();
  }
  return dossier;
}

/** What a lead leaves behind. */
interface Reception {
  readonly filed: Filed;
  /** None when it says nothing new. */
  readonly steps: readonly Step[];
  readonly event: NewEvent | undefined;
}

function fromStranger(
  destination: Destination,
  lead: Lead,
  gifts: Gifts,
  ids: LeadIds,
  at: Timestamp,
): Reception {
  const { table, configuration, pipelines } = destination;
  const { gate, ...place } = entryStage(pipelines, configuration);
  const contact = contactOfLead(ids.contact, lead, configuration, gifts, place, at);
  const alone = { contact, conversations: [], applications: [] };
  const filed = withBelongings(alone, destination, ids, at);
  return { filed, ...entering(table, filed, { gate }, pipelines) };
}

function fromContact(
  destination: Destination,
  dossier: Dossier,
  lead: Lead,
  gifts: Gifts,
  ids: LeadIds,
  at: Timestamp,
): Reception {
  const { table, pipelines } = destination;
  const before = filedIn(dossier);
  const contact = withLead(before.contact, lead, gifts, at);
  const isSame = isUnchanged(before.contact, contact);
  const filed = withBelongings(isSame ? before : { ...before, contact }, destination, ids, at);
  return {
    filed,
    steps: filed === before ? [] : filingSteps(table, dossier, filed),
    event: isSame ? undefined : contactEvent('contact_updated', filed.contact, pipelines, before.contact),
  };
}

function withBelongings(
  filed: Filed,
  { configuration, pipelines }: Destination,
  ids: BelongingIds,
  at: Timestamp,
): Filed {
  return withApplication(withSmsConversation(filed, ids, at), configuration, pipelines, ids, at);
}
