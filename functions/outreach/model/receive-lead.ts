import type { StoredApplication } from '../../../shared/applications/application.ts';
import { applicationEvent } from '../../../shared/applications/application-events.ts';
import { shardOf } from '../../../shared/board/counters.ts';
import { type ContactState, conversationOn } from '../../../shared/contact-aggregate/contact-aggregate.ts';
import { hintActions } from '../../../shared/contact-aggregate/contact-hint.ts';
import { findOrCreateContactByPhone } from '../../../shared/contact-aggregate/find-or-create-contact.ts';
import { holderOf } from '../../../shared/contact-aggregate/number-locks.ts';
import { isUnchanged } from '../../../shared/contacts/contact.ts';
import { contactEvent } from '../../../shared/contacts/contact-events.ts';
import { given } from '../../../shared/kernel/given.ts';
import type { SentRequest } from '../../../shared/kernel/request.ts';
import { after, type Timestamp, timestamp } from '../../../shared/kernel/time.ts';
import { conversationCreated, type EventChange } from '../../../shared/live/event-change.ts';
import { eventActions, type NewEvent } from '../../../shared/live/outbox.ts';
import { stageById } from '../../../shared/pipelines/stages.ts';
import type { Action } from '../../../shared/table/table.ts';
import { deliveryKeptFor, type ReceivedLead } from './delivery.ts';
import { earlierTry } from './earlier-try.ts';
import type { Lead } from './lead.ts';
import { applicationFrom, type ChildIds, withApplication, withSmsConversation } from './lead-children.ts';
import { contactOfLead, fieldsLeftOut, withLead } from './lead-contact.ts';
import { counterOf, dayOf, oneMoreLead } from './lead-counting.ts';
import type { LeadTarget } from './lead-target.ts';

/** Ids that all tries of a lead use. */
export interface LeadIds extends ChildIds {
  readonly contact: string;
  /** In order, so that clients get a contact before its application. */
  readonly events: readonly string[];
}

/**
 * Stores a lead, its events, its counts and its delivery in one transaction. A lead without new data is only counted, and a kept one
 * only if no earlier try has.
 * @param sent the request, and what else its transaction requires.
 * @throws `VersionConflict` when somebody else wrote the contact meanwhile; a 404 `Failure` when there is no Contact pipeline.
 */
export async function storeLead(
  target: LeadTarget,
  lead: Lead,
  ids: LeadIds,
  now: Date,
  sent: SentRequest & { readonly conditions: readonly Action[] },
): Promise<ReceivedLead> {
  const { table, configuration, pipelines, lock, hint, hinted, delivery } = target;
  const earlier = await earlierTry(table, sent, holderOf(lock));
  const { source } = configuration;
  const at = timestamp(now);
  // Read beside the contact, not before it.
  const owner = target.owner();
  owner.catch(() => undefined);
  const defaultsOf = async () => ({ source, owner: await owner });
  return findOrCreateContactByPhone(
    table,
    { lock, hinted, pipelines, preferred: configuration },
    async (place) => contactOfLead(ids.contact, lead, configuration, await defaultsOf(), place, at),
    async ({ isNew, state: before, writes }) => {
      const updated = isNew ? before.contact : withLead(before.contact, lead, await defaultsOf(), at);
      const isUpdated = !isUnchanged(before.contact, updated);
      const state = withChildren(isUpdated ? { ...before, contact: updated } : before, target, ids, at);
      const { contact } = state;
      const application = applicationFrom(state, configuration);
      const newApplication = applicationFrom(before, configuration) === undefined ? application : undefined;
      const { actions, events: creation } = writes(state);
      const events = leadEvents(target, { isNew, before, state, creation, isUpdated, newApplication });
      const group = {
        day: dayOf(now, target.zone),
        configurationId: configuration._id,
        ownerId: contact.owner,
        source,
      };
      const count = table.updateAction(
        counterOf(group, shardOf(contact._id)),
        oneMoreLead(group, { isNew, applications: newApplication ? 1 : 0 }),
      );
      const received: ReceivedLead = {
        contactId: contact._id,
        conversationId: conversationOn(state, 'sms')?._id ?? '',
        applicationId: configuration.createApplication ? (application?._id ?? null) : null,
        isNew,
        omittedFields: fieldsLeftOut(contact, lead),
      };
      // A transaction even for the counter alone: only a transaction recognises its own retry after others have counted too.
      await table.commit([
        ...sent.conditions,
        ...(isNew ? [] : hintActions(table, hint, hinted, contact._id, now)),
        ...actions,
        ...eventActions(table, events, ids.events, now),
        ...(earlier.isCounted ? [] : [count]),
        ...earlier.actions,
        ...(isNew || events.length > 0 || delivery !== undefined ? [] : earlier.trace),
        // Of simultaneous copies, all but one get a version conflict here, and find this record in their next attempt.
        ...(delivery === undefined
          ? []
          : [table.add(delivery.key, received, { expiresAt: after(now, deliveryKeptFor) })]),
      ]);
      return received;
    },
  );
}

/** What a lead changed. */
interface LeadChange {
  readonly isNew: boolean;
  readonly before: ContactState;
  readonly state: ContactState;
  /** The event of a new contact. */
  readonly creation: readonly NewEvent[];
  /** Whether fields of an existing contact changed. */
  readonly isUpdated: boolean;
  readonly newApplication: StoredApplication | undefined;
}

/**
 * The events of what a lead changed: the first one also tells workflows of the lead, and notifies the owner. A lead that changes nothing
 * has none, and notifies nobody.
 */
function leadEvents(
  { configuration, pipelines }: LeadTarget,
  { isNew, before, state, creation, isUpdated, newApplication }: LeadChange,
): NewEvent[] {
  const { contact } = state;
  const stage = stageById(pipelines, contact.stageId);
  const [first, ...further] = [
    ...creation,
    ...(isUpdated ? [contactEvent('contact_updated', contact, stage, before.contact)] : []),
    ...(newApplication ? [applicationEvent(contact, undefined, newApplication)] : []),
  ];
  if (first === undefined) {
    return [];
  }
  const sms = conversationOn(state, 'sms');
  const change: EventChange = {
    ...first.change,
    lead: { configurationId: configuration._id, isNew, ...given({ applicationId: newApplication?._id }) },
    ...(sms && conversationOn(before, 'sms') === undefined && { conversation: conversationCreated(sms) }),
  };
  const to = contact.owner === null ? [] : [contact.owner];
  return [{ ...first, notify: { type: 'lead', to }, change }, ...further];
}

function withChildren(
  state: ContactState,
  { configuration, pipelines }: LeadTarget,
  ids: ChildIds,
  at: Timestamp,
): ContactState {
  return withApplication(withSmsConversation(state, ids, at), configuration, pipelines, ids, at);
}
