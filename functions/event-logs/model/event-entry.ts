import type { EventChange } from '../../../shared/events/event-change.ts';
import {
  type LogEntry,
  type Logged,
  type LogName,
  loggedActions,
  tellingNames,
} from '../../../shared/events/log-entry.ts';
import type { EventName, StoredEvent } from '../../../shared/events/outbox.ts';
import { systemActor } from '../../../shared/kernel/actor.ts';
import { definedOnly } from '../../../shared/kernel/defined-only.ts';
import type { EventData } from '../../../shared/notifications/event-schemas.ts';

/** The part of an entry that the event itself decides; it has its own name unless stated. */
type Saying = Pick<Logged<LogName>, 'entity'> & Partial<Logged<LogName>>;

type Sayings = {
  readonly [Name in EventName]: (
    data: EventData[Name],
    event: Pick<StoredEvent, 'audience'> & { readonly change: EventChange },
  ) => Saying;
};

const call = ({ callId }: EventData['call_ended']): Saying => ({ entity: { type: 'call', id: callId } });
const message = ({ messageId }: EventData['message_deleted']): Saying => ({
  entity: { type: 'message', id: messageId },
});
const notification = ({ notificationId }: Pick<EventData['notification_deleted'], 'notificationId'>) =>
  ({ entity: { type: 'notification', id: notificationId } }) satisfies Saying;
const contact = ({ contactId }: { readonly contactId: string }) =>
  ({ entity: { type: 'contact', id: contactId } }) satisfies Saying;

const sayings: Sayings = {
  call_answered: call,
  call_ended: call,
  call_initiated: call,
  call_missed: call,
  call_updated: call,
  contact_archived: contact,
  contact_created: contact,
  contact_merged: contact,
  contact_removed: (data) => ({ ...contact(data), event: 'contact_deleted' }),
  contact_restored: contact,
  contact_stage_changed: ({ contactId, fromStageId, toStageId }) => ({
    ...contact({ contactId }),
    changed: fromStageId === toStageId ? [] : ['stageId'],
  }),
  contact_updated({ contactId, applicationId, conversationId }, { change: { fields = [] } }) {
    if (applicationId !== undefined) {
      return { entity: { type: 'application', id: applicationId } };
    }
    return conversationId === undefined
      ? { ...contact({ contactId }), changed: fields }
      : { entity: { type: 'conversation', id: conversationId } };
  },
  contacts_exported: ({ jobId }) => ({ entity: { type: 'job', id: jobId } }),
  conversation_read: ({ conversationId }) => ({ entity: { type: 'conversation', id: conversationId } }),
  invitation_updated: ({ invitationId, change }) => ({
    entity: { type: 'invitation', id: invitationId },
    ...(change === 'created' && { event: 'user_invited' }),
  }),
  job_updated: ({ jobId }) => ({ entity: { type: 'job', id: jobId }, changed: ['status'] }),
  lead_received: contact,
  message_created: message,
  message_deleted: message,
  message_updated: (data) => ({ ...message(data), changed: ['status'] }),
  note_created: ({ noteId }) => ({ entity: { type: 'note', id: noteId } }),
  notification_created: notification,
  notification_deleted: notification,
  notification_updated: notification,
  organization_updated: ({ organizationId, changed }) => ({
    entity: { type: 'organization', id: organizationId },
    changed,
  }),
  sessions_ended: (_, { audience, change: { account } }) => ({
    event: account === 'password_changed' ? 'user_password_changed' : 'user_signed_out',
    entity: { type: 'user', id: audience.kind === 'user' ? audience.userId : '' },
  }),
  user_updated({ userId, changed }, { change: { account } }) {
    const entity = { type: 'user', id: userId } as const;
    if (account === 'disabled') {
      return { event: 'user_disabled', entity, changed };
    }
    return changed.includes('accessRole')
      ? { event: 'user_role_changed', entity, changed }
      : { entity, changed };
  },
  workflow_run_updated: ({ runId }) => ({ entity: { type: 'workflow_run', id: runId }, changed: ['status'] }),
  workflow_updated: ({ workflowId, changed = [] }) => ({
    entity: { type: 'workflow', id: workflowId },
    changed,
  }),
};

/** Every name that an entry may have. */
export const logNames: readonly LogName[] = [
  ...loggedActions,
  ...tellingNames,
  ...(Object.keys(sayings) as EventName[]).filter(
    (name) => name !== 'contact_removed' && name !== 'sessions_ended',
  ),
].toSorted();

/** Names that an entry has at most: a workflow may have any number of properties. */
const mostChanged = 100;

/** The entry of an event. */
export function eventEntry(stored: StoredEvent): LogEntry {
  // Events of older versions have no actor.
  const { id, event: name, at, actor = systemActor, requestId, data, audience, change = {} } = stored;
  const say = sayings[name] as (data: unknown, event: unknown) => Saying;
  const { event = name, entity, changed = [] } = say(data, { audience, change });
  return {
    _id: id,
    ...{ event, at, actor, entity },
    changed: changed.slice(0, mostChanged),
    ...definedOnly({ requestId }),
  };
}
