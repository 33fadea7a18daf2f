import * as z from 'zod/mini';
import { actingAs } from '../../shared/events/outbox.ts';
import { NewPassword, newPasswordMeaning } from '../../shared/kernel/auth/passwords.ts';
import { Failure } from '../../shared/kernel/failure.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { anyString, Name } from '../../shared/kernel/schemas/fields.ts';
import { departmentKey, organizationKey } from '../../shared/organizations/organization.ts';
import { userKey } from '../../shared/organizations/user.ts';
import { VersionConflict } from '../../shared/table/table.ts';
import { emailDigest } from './model/email.ts';
import { refuseGuessable } from './model/guessable-password.ts';
import { forgottenAt, invitationKey } from './model/invitation.ts';
import { requireAcceptable, requireInviter, withAcceptance } from './model/invitation-rules.ts';
import { knownNetworkAction } from './model/login-throttle.ts';
import { accountActions } from './model/new-account.ts';
import { invitationEventAction } from './model/new-invitation.ts';
import { readOneTimeToken } from './model/one-time-token.ts';
import { newUser } from './model/registration.ts';
import { SessionResponse, signSessionResponse } from './model/session-response.ts';
import { newSession } from './model/sessions.ts';
import { shareOfStrangers } from './model/shares.ts';

export default operation({
  route: 'POST /api/auth/invitations/accept',
  summary: 'Accept an invitation',
  description:
    'Creates an account with the address, role and departments of the invitation, and returns its session, as registering does. The token works once, within 7 days; one that is used, expired, unknown, or of an invitation that was deleted or replaced gets 400 with the code `INVALID_TOKEN`. ' +
    'An invitation is valid only as long as its sender could still send it: if the sender has been disabled or has lost the role for it, the response is 403, and somebody else must send another one. Departments that have been deleted since are left out. If the address has an account by now, the response is 409. A refused request leaves the token as it is.',
  family: 'auth',
  minimumRole: 'anyone',
  status: 201,
  body: z.object({ token: anyString, firstName: Name, lastName: Name, password: NewPassword }),
  descriptions: {
    token: 'What follows `token=` in the link of the email.',
    firstName: 'First name of the new user.',
    lastName: 'Last name of the new user.',
    password: newPasswordMeaning,
  },
  output: SessionResponse,
  failures: ['INVALID_TOKEN', 'FORBIDDEN', 'CONFLICT'],
  example: {
    body: {
      token:
        '01KF0EY6SKVRTJ88B872195D27.01KF0FHNECVPBD3WD5AR8AGRS1.Zm9yIGV4YW1wbGUgb25seSwgbm8gcmVhbCB0b2tlbiE',
      firstName: 'Grace',
      lastName: 'Hopper',
      password: 'correct horse battery staple',
    },
  },
  share: shareOfStrangers,
  uses: { identity: 'write', organizations: 'write', passwords: 'hash', tokens: 'sign' },
  async run({ body, headers, sourceIp }, { identity, organizations, passwords, tokens, now, newId }) {
    const token = readOneTimeToken(body.token);
    const [userId, userEventId, eventId] = [newId(), newId(), newId()];
    const table = actingAs(organizations(token.organizationId), { type: 'user', id: userId });
    let hashed: Promise<string> | undefined;

    const accepted = await table.optimistically(async () => {
      const [stored, organization] = await Promise.all([
        table.read(invitationKey(token.subjectId)),
        table.read(organizationKey()),
      ]);
      const invitation = requireAcceptable(stored, token, now);
      const { email, role, invitedBy } = invitation.data;
      await refuseGuessable('password', body.password, email);
      hashed ??= passwords.hash(body.password);
      const [passwordHash, inviter, departments] = await Promise.all([
        hashed,
        organizations(invitedBy.organizationId).read(userKey(invitedBy.userId)),
        table.readMany(invitation.data.departmentIds.map(departmentKey)),
      ]);
      const current = requireInviter(inviter, invitation.data);
      if (organization === undefined) {
        throw new Error('An invitation has no organization');
      }
      const departmentIds = departments.flatMap((department) =>
        department === undefined ? [] : [department.data._id],
      );
      const { firstName, lastName } = body;
      const user = newUser(
        userId,
        token.organizationId,
        { email, firstName, lastName, role, departmentIds },
        now,
      );
      const { actions: session, position } = newSession(
        { identity, table },
        user,
        { headers, sourceIp },
        { now, newId },
      );
      await identity.commit([
        // First: a second request must find the invitation accepted, not the address taken.
        table.replace(invitation, withAcceptance(invitation.data, userId, now), {
          expiresAt: forgottenAt(invitation.data),
        }),
        // If a department is deleted at this moment, the next attempt leaves it out.
        ...accountActions(identity, table, user, passwordHash, {
          taken: hasAccount,
          noDepartment: () => new VersionConflict(),
          joining: { eventId: userEventId, now },
        }),
        invitationEventAction(
          table,
          { invitationId: invitation.data._id, change: 'updated' },
          { eventId, now },
        ),
        // If the inviter is disabled or demoted at this moment, the next attempt sees it.
        organizations(invitedBy.organizationId).require(current.key, { ifVersion: current.version }),
        ...session,
        knownNetworkAction(identity, emailDigest(email), sourceIp, now),
      ]);
      return { user, organization: organization.data, position };
    });
    return signSessionResponse(tokens, accepted, now);
  },
});

const hasAccount = () =>
  new Failure('CONFLICT', 'You already have an account with this email address. Log in with it.');
