import type { EventName } from './outbox.ts';

/** The group of the documentation that each event belongs to: a connection by an API key gets the events of its groups. */
export const eventGroups: Readonly<Record<EventName, string>> = {
  call_answered: 'Calls',
  call_ended: 'Calls',
  call_initiated: 'Calls',
  call_missed: 'Calls',
  call_updated: 'Calls',
  contact_created: 'Contacts',
  contact_removed: 'Contacts',
  contact_stage_changed: 'Contacts',
  contact_updated: 'Contacts',
  conversation_read: 'Conversations',
  invitation_updated: 'Users',
  lead_received: 'Outreach',
  message_created: 'Messages',
  message_deleted: 'Messages',
  message_updated: 'Messages',
  note_created: 'Contact Notes',
  notification_created: 'Notifications',
  notification_deleted: 'Notifications',
  notification_updated: 'Notifications',
  organization_updated: 'Organizations',
  sessions_ended: 'Users',
  user_updated: 'Users',
  workflow_run_updated: 'Workflows',
  workflow_updated: 'Workflows',
};
