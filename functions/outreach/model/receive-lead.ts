import { applicationEvent } from '../../../shared/applications/application-events.ts';
import { shardOf } from '../../../shared/board/entries.ts';
import {
  aggregateOf,
  type ContactAggregate,
  type ContactState,
  stateOf,
} from '../../../shared/contact-aggregate/contact-aggregate.ts';
import { contactWrites } from '../../../shared/contact-aggregate/contact-writes.ts';
import { createContactWrites } from '../../../shared/contact-aggregate/create-contact-writes.ts';
import { isUnchanged } from '../../../shared/contacts/contact.ts';
import { contactEvent } from '../../../shared/contacts/contact-events.ts';
import { conversationOn } from '../../../shared/conversations/correspondence.ts';
import { eventStep, type NewEvent } from '../../../shared/live/outbox.ts';
import { entryStage } from '../../../shared/pipelines/entry-stage.ts';
import { type Step, type TableReader, VersionConflict } from '../../../shared/table/table.ts';
import { type Timestamp, timestamp } from '../../../shared/time.ts';
import type { Lead } from './lead.ts';
import { applicationFrom, type ChildIds, withApplication, withSmsConversation } from './lead-children.ts';
import { type ContactDefaults, contactOfLead, fieldsLeftOut, withLead } from './lead-contact.ts';
import { counterOf, dayOf, oneMoreLead } from './lead-counting.ts';
import type { LeadTarget } from './lead-target.ts';

/** Identifiers that every try of a lead keeps. */
export interface LeadIds extends ChildIds {
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
  readonly omittedFields: number;
}

/**
 * Stores a lead, tells of it, and counts it, in one transaction. One that says nothing new is only counted.
 * @throws `VersionConflict` when somebody else wrote the contact meanwhile; a 404 `Failure` without any Contact pipeline.
 */
export async function receivedLead(
  target: LeadTarget,
  lead: Lead,
  ids: LeadIds,
  now: Date,
): Promise<ReceivedLead> {
  const { table, configuration, pipelines, contactId } = target;
  const at = timestamp(now);
  const [aggregate, owner] = await Promise.all([
    contactId === undefined ? undefined : requireAggregate(table, contactId),
    target.owner(),
  ]);
  const defaults = { source: configuration.source, owner };
  const { state, steps, event } =
    aggregate === undefined
      ? fromUnknown(target, lead, defaults, ids, at)
      : fromContact(target, aggregate, lead, defaults, ids, at);
  const { contact } = state;
  const application = applicationFrom(state, configuration);
  const isMade =
    application !== undefined && !aggregate?.applications.some(({ data }) => data._id === application._id);
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
  const oneMore = oneMoreLead(group, { isNew: aggregate === undefined, applications: isMade ? 1 : 0 });
  // A transaction even where nothing else is written: it alone knows its own repetition after others have counted here too.
  await table.commit([
    ...steps,
    ...events.map((one, index) => eventStep(table, one, ids.events[index] ?? '', now)),
    table.updateStep(counter, oneMore),
  ]);
  return {
    contactId: contact._id,
    conversationId: conversationOn(state, 'sms')?._id ?? '',
    applicationId: configuration.createApplication ? (application?._id ?? null) : null,
    isNew: aggregate === undefined,
    omittedFields: fieldsLeftOut(contact, lead),
  };
}

/** The contact may go away between the look-up of its number and this. */
async function requireAggregate(table: TableReader, contactId: string): Promise<ContactAggregate> {
  const aggregate = await aggregateOf(table, contactId);
  if (aggregate === undefined) {
    throw new VersionConflict();
  }
  return aggregate;
}

/** What a lead makes of its contact. */
interface LeadResult {
  readonly state: ContactState;
  /** None when it says nothing new. */
  readonly steps: readonly Step[];
  readonly event: NewEvent | undefined;
}

function fromUnknown(
  target: LeadTarget,
  lead: Lead,
  defaults: ContactDefaults,
  ids: LeadIds,
  at: Timestamp,
): LeadResult {
  const { table, configuration, pipelines } = target;
  const { guard, ...place } = entryStage(pipelines, configuration);
  const contact = contactOfLead(ids.contact, lead, configuration, defaults, place, at);
  const alone = { contact, conversations: [], applications: [] };
  const state = withChildren(alone, target, ids, at);
  return { state, ...createContactWrites(table, state, { guard }, pipelines) };
}

function fromContact(
  target: LeadTarget,
  aggregate: ContactAggregate,
  lead: Lead,
  defaults: ContactDefaults,
  ids: LeadIds,
  at: Timestamp,
): LeadResult {
  const { table, pipelines } = target;
  const before = stateOf(aggregate);
  const contact = withLead(before.contact, lead, defaults, at);
  const isSame = isUnchanged(before.contact, contact);
  const state = withChildren(isSame ? before : { ...before, contact }, target, ids, at);
  return {
    state,
    steps: state === before ? [] : contactWrites(table, aggregate, state),
    event: isSame ? undefined : contactEvent('contact_updated', state.contact, pipelines, before.contact),
  };
}

function withChildren(
  state: ContactState,
  { configuration, pipelines }: LeadTarget,
  ids: ChildIds,
  at: Timestamp,
): ContactState {
  return withApplication(withSmsConversation(state, ids, at), configuration, pipelines, ids, at);
}
