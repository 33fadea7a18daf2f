import { type ContactState, conversationOn } from '../../../shared/contact-aggregate/contact-aggregate.ts';
import { shardFor } from '../../../shared/contact-aggregate/counters.ts';
import { findOrCreateContactByPhone } from '../../../shared/contact-aggregate/find-or-create-contact.ts';
import { isUnchanged } from '../../../shared/contacts/contact.ts';
import { eventActions } from '../../../shared/events/outbox.ts';
import { readAhead } from '../../../shared/kernel/read-ahead.ts';
import type { SentRequest } from '../../../shared/kernel/request.ts';
import { type Timestamp, timestamp } from '../../../shared/kernel/time.ts';
import type { Action } from '../../../shared/table/table.ts';
import { type ReceivedLead, rememberActions } from './earlier-lead.ts';
import type { Lead } from './lead.ts';
import { applicationFrom, type ChildIds, withApplication, withSmsConversation } from './lead-children.ts';
import { contactOfLead, omittedFieldCount, withLead } from './lead-contact.ts';
import { dayInZone, leadCounterKeyFor, oneMoreLead } from './lead-counting.ts';
import { leadEvents } from './lead-events.ts';
import { findLeadOwner, type LeadTarget } from './lead-target.ts';
import { withTypedData } from './typed-data.ts';

/** Ids that all tries of a lead use. */
export interface LeadIds extends ChildIds {
  readonly contact: string;
  /** In order, so that clients get a contact before its application, and both before the lead. */
  readonly events: readonly string[];
}

/**
 * Stores a lead, its events, its counts and what its repetitions are recognised by, in one transaction.
 * @param sent the request, and what else its transaction requires.
 * @throws `VersionConflict` when somebody else wrote the contact meanwhile; a 404 `Failure` when there is no Contact pipeline.
 */
export async function storeLead(
  target: LeadTarget,
  sentLead: Lead,
  ids: LeadIds,
  now: Date,
  sent: SentRequest & { readonly conditions: readonly Action[] },
): Promise<ReceivedLead> {
  const { table, configuration, pipelines, lock, fieldRules, repetition } = target;
  const lead = withTypedData(sentLead, fieldRules);
  const { source } = configuration;
  const at = timestamp(now);
  const owner = readAhead(findLeadOwner(target));
  const defaultsOf = async () => ({ source, owner: await owner });
  return findOrCreateContactByPhone(
    table,
    { lock, at, pipelines, preferred: configuration },
    async (stageRef) => contactOfLead(ids.contact, lead, configuration, await defaultsOf(), stageRef, at),
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
        day: dayInZone(now, target.zone),
        configurationId: configuration._id,
        ownerId: contact.owner,
        source,
      };
      const count = table.updateAction(
        leadCounterKeyFor(group, shardFor(contact._id)),
        oneMoreLead(group, { isNew, applications: newApplication ? 1 : 0 }),
      );
      const received: ReceivedLead = {
        contactId: contact._id,
        conversationId: conversationOn(state, 'sms')?._id ?? '',
        applicationId: configuration.createApplication ? (application?._id ?? null) : null,
        isNew,
        omittedFields: omittedFieldCount(contact, lead),
      };
      await table.commit([
        ...sent.conditions,
        ...actions,
        ...eventActions(table, events, ids.events, now),
        count,
        ...rememberActions(table, repetition, received, sent),
      ]);
      return received;
    },
  );
}

function withChildren(
  state: ContactState,
  { configuration, pipelines }: LeadTarget,
  ids: ChildIds,
  at: Timestamp,
): ContactState {
  return withApplication(withSmsConversation(state, ids, at), configuration, pipelines, ids, at);
}
