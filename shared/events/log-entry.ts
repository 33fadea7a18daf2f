import type { Actor } from '../kernel/actor.ts';
import { after, day, type Timestamp, timestamp } from '../kernel/time.ts';
import type { Key } from '../table/key.ts';
import type { Action, TableWriter } from '../table/table.ts';
import { type EventName, originIn } from './outbox.ts';

/** What happens to accounts, keys and numbers: the log has an entry of it, and there is no event. */
export const loggedActions = [
  'api_key_created',
  'api_key_deleted',
  'api_key_rotated',
  'export_started',
  'phone_number_assigned',
  'phone_number_removed',
  'user_sign_in_failed',
  'user_signed_in',
  'webhook_endpoint_created',
  'webhook_endpoint_deleted',
  'webhook_endpoint_disabled',
  'webhook_endpoint_secret_rotated',
  'webhook_endpoint_updated',
] as const;

/** The names that the log has for some events, because their own say less than what happened. */
export const tellingNames = [
  'contact_deleted',
  'user_disabled',
  'user_invited',
  'user_password_changed',
  'user_role_changed',
  'user_signed_out',
] as const;

/** The types of what an entry may be about: the singular of the resource's name. */
export const entityTypes = [
  'api_key',
  'application',
  'call',
  'contact',
  'conversation',
  'invitation',
  'job',
  'message',
  'note',
  'notification',
  'organization',
  'phone_number',
  'user',
  'webhook_endpoint',
  'workflow',
  'workflow_run',
] as const;

/** What an entry says of what happened: ids and the names of fields, but no value of any field. */
export interface Logged<Name extends string> {
  readonly event: Name;
  readonly entity: { readonly type: (typeof entityTypes)[number]; readonly id: string };
  readonly changed: readonly string[];
}

export type LogName = EventName | (typeof loggedActions)[number] | (typeof tellingNames)[number];

/** An entry of the log: what happened, when, and who did it. */
export interface LogEntry extends Logged<LogName> {
  /** The id of the event, where there is one. */
  readonly _id: string;
  readonly at: Timestamp;
  readonly actor: Actor;
  readonly requestId?: string;
  /** Of failed sign-ins: a mark for each. */
  readonly failures?: readonly string[];
}

/** How long an entry is kept. Source: integrations 1. */
export const logKeptFor = 90 * day;

/** The log of an organization, in the order of the ids. */
export const logEntryKey = (id: string): Key<LogEntry> => ({
  partition: ['EVENT_LOG'],
  sort: ['LOGGED', id],
});

/** When an entry of this time may be deleted. */
export const logEntryEnd = (at: Timestamp): Date => after(new Date(at), logKeptFor);

/** The action that logs what is no event, in the transaction of its cause. */
export function logAction(
  table: TableWriter,
  logged: Omit<Logged<(typeof loggedActions)[number]>, 'changed'> & { readonly changed?: readonly string[] },
  id: string,
  now: Date,
): Action {
  const at = timestamp(now);
  const entry: LogEntry = { _id: id, at, ...originIn(table), changed: [], ...logged };
  return table.put(logEntryKey(id), entry, { expiresAt: logEntryEnd(at) });
}
