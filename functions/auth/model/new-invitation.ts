import { eventAction } from '../../../shared/events/outbox.ts';
import type { Caller } from '../../../shared/kernel/caller.ts';
import { after, timestamp } from '../../../shared/kernel/time.ts';
import type { EventData } from '../../../shared/notifications/event-schemas.ts';
import type { Action, Stored, TableWriter } from '../../../shared/table/table.ts';
import { emailDigest } from './email.ts';
import {
  forgottenAt,
  type Invitation,
  invitationKey,
  invitationLife,
  latestInvitationKey,
} from './invitation.ts';

/** A new invitation by this caller; whose email the caller queues. */
export function newInvitation(
  id: string,
  { userId, organizationId, homeOrganizationId }: Caller,
  { email, role, departmentIds }: Pick<Invitation, 'email' | 'role' | 'departmentIds'>,
  now: Date,
): Invitation {
  return {
    _id: id,
    organizationId,
    email,
    role,
    departmentIds,
    invitedBy: { userId, organizationId: homeOrganizationId },
    createdAt: timestamp(now),
    expiresAt: timestamp(after(now, invitationLife)),
    mail: { status: 'queued' },
  };
}

/** The actions that store an invitation in place of the organization's latest one of the same address, with their events. */
export function invitationActions(
  table: TableWriter,
  invitation: Invitation,
  latest: Stored<{ invitationId: string }> | undefined,
  ids: { readonly event: string; readonly replacedEvent: string },
  now: Date,
): Action[] {
  const { _id: invitationId } = invitation;
  const digest = emailDigest(invitation.email);
  const kept = { expiresAt: forgottenAt(invitation) };
  const eventOf = (id: string, change: 'created' | 'deleted', eventId: string) =>
    invitationEventAction(table, { invitationId: id, change }, { eventId, now });
  return [
    ...(latest === undefined
      ? [table.add(latestInvitationKey(digest), { invitationId }, kept)]
      : [
          table.replace(latest, { invitationId }, kept),
          table.delete(invitationKey(latest.data.invitationId)),
          eventOf(latest.data.invitationId, 'deleted', ids.replacedEvent),
        ]),
    table.add(invitationKey(invitationId), invitation, kept),
    eventOf(invitationId, 'created', ids.event),
  ];
}

/** The action that tells the administrators what became of an invitation, for the transaction of the change. */
export function invitationEventAction(
  table: TableWriter,
  data: EventData['invitation_updated'],
  { eventId, now }: { readonly eventId: string; readonly now: Date },
): Action {
  // Whoever sees every record sees this one, which belongs to nobody.
  const audience = { kind: 'record', people: [] } as const;
  return eventAction(table, { event: 'invitation_updated', data, audience }, eventId, now);
}
