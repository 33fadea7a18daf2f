import * as z from 'zod/mini';
import { roles } from '../../../shared/kernel/caller.ts';
import { described } from '../../../shared/kernel/schemas/descriptions.ts';
import { anyString, dateTime } from '../../../shared/kernel/schemas/fields.ts';
import {
  type Invitation,
  invitationMail,
  invitationStatus,
  invitationStatuses,
  mailStatuses,
} from './invitation.ts';

export const InvitationResponse = described(
  z.object({
    _id: anyString,
    organizationId: anyString,
    email: anyString,
    role: z.enum(roles),
    departmentIds: z.array(anyString),
    status: z.enum(invitationStatuses),
    mailStatus: z.enum(mailStatuses),
    mailProblem: z.optional(anyString),
    invitedBy: anyString,
    createdAt: dateTime,
    expiresAt: dateTime,
    acceptedAt: z.optional(dateTime),
    userId: z.optional(anyString),
  }),
  {
    _id: 'The id of the invitation.',
    organizationId: 'The organization that the invited person joins.',
    email: 'The address that the invitation is sent to, and that the account will have.',
    role: 'The role that the account will have.',
    departmentIds: 'The departments that the account will be in.',
    status: '`pending` until it is accepted or, after 7 days, `expired`.',
    mailStatus: 'Whether its email is queued, was sent, or could not be sent.',
    mailProblem: 'Why the email could not be sent; only if it failed.',
    invitedBy: 'The id of the user who sent it.',
    createdAt: 'When it was created.',
    expiresAt: 'When it expires.',
    acceptedAt: 'When it was accepted; absent before.',
    userId: 'The id of the user who accepted it; absent before.',
  },
  { id: 'Invitation', description: 'An invitation to join an organization.' },
);

export function toInvitationResponse(invitation: Invitation, now: Date): z.input<typeof InvitationResponse> {
  const { _id, organizationId, email, role, departmentIds, invitedBy, createdAt, expiresAt, accepted } =
    invitation;
  const { status: mailStatus, problem } = invitationMail(invitation, now);
  return {
    _id,
    organizationId,
    email,
    role,
    departmentIds,
    status: invitationStatus(invitation, now),
    mailStatus,
    ...(problem !== undefined && { mailProblem: problem }),
    invitedBy: invitedBy.userId,
    createdAt,
    expiresAt,
    ...(accepted && { acceptedAt: accepted.at, userId: accepted.userId }),
  };
}
