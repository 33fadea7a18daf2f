import { definedOnly } from '../../shared/kernel/defined-only.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { notFound } from '../../shared/kernel/failure.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { changeResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { timestamp } from '../../shared/kernel/time.ts';
import { departmentNotFound, joinActions } from '../../shared/organizations/departments.ts';
import { accountNoticeAction } from '../../shared/organizations/queued-mail.ts';
import { withSessionsEnded } from '../../shared/organizations/session.ts';
import { sessionsEndedAction } from '../../shared/organizations/sessions-ended.ts';
import { openPreferenceMeaning, type User, userKey } from '../../shared/organizations/user.ts';
import { userEventAction } from '../../shared/organizations/user-event.ts';
import { toUserResponse, UserResponse } from '../../shared/organizations/user-response.ts';
import { ownWorkflowRange } from '../../shared/workflows/own-workflows.ts';
import { keptMessage, keptNotification, keptWorkflows } from './model/kept-workflows.ts';
import { changedFields } from './model/settings-event.ts';
import { authorizeChanges, UserChanges } from './model/user-changes.ts';

export default operation({
  route: 'PUT /api/users/{id}',
  tag: 'Users',
  summary: 'Update a user of the organization',
  description: [
    'Fields you leave out keep their value, and an update that changes nothing keeps `updatedAt`. Every user may change their own `firstName`, `lastName` and `conversationOpenPreference`; everything else requires the role ADMIN or SUPERADMIN, which you must still have, whatever your token says. Nobody may assign a role above their own, only a SUPERADMIN may change a SUPERADMIN, and nobody may lower their own role or disable their own account (409).',
    "Disabling a user ends all their sessions. `message` names up to 5 workflows that keep the user's earlier rights. [Organizations](#/Organizations) says when a change of role takes effect, and where a new name shows.",
  ].join('\n\n'),
  family: 'plain',
  minimumRole: 'SALES_REP',
  body: UserChanges,
  descriptions: {
    accessRole: 'The role of the user.',
    departmentIds: 'Departments of the organization, at most 50; they replace the previous ones.',
    disabled: 'Whether the account of the user is disabled.',
    conversationOpenPreference: openPreferenceMeaning,
    firstName: 'First name of the user.',
    lastName: 'Last name of the user.',
  },
  output: changeResponse(UserResponse),
  failures: ['FORBIDDEN', 'NOT_FOUND', 'CONFLICT'],
  example: {
    path: { id: demo.matteo },
    body: { accessRole: 'DEPARTMENT_HEAD', departmentIds: [demo.support] },
  },
  uses: { table: 'write', organizations: 'read', identity: 'write' },
  async run({ path, body }, { table, organizations, identity, caller, now, newId }) {
    const [eventId, sessionsEventId, mailId] = [newId(), newId(), newId()];
    const { departmentIds, ...changes } = definedOnly(body);
    const isAtHome = caller.organizationId === caller.homeOrganizationId;
    return table.optimistically(async () => {
      const mayGainRights = body.accessRole !== undefined || body.departmentIds !== undefined;
      const [stored, actor, workflows] = await Promise.all([
        table.read(userKey(path.id)),
        organizations(caller.homeOrganizationId).read(userKey(caller.userId)),
        mayGainRights ? table.list(ownWorkflowRange(path.id), { consistent: false }) : [],
      ]);
      if (stored === undefined) {
        throw notFound('User');
      }
      const before = stored.data;
      if (Object.keys(body).length === 0) {
        return ok({ message: 'No changes', data: toUserResponse(before) });
      }
      authorizeChanges(actor?.data, before, body);
      // Also when the user is enabled: a login that was under way when the user was disabled may have opened a session since.
      const endsSessions = changes.disabled !== undefined && changes.disabled !== before.disabled;
      const user: User = {
        ...(endsSessions ? withSessionsEnded(before, now) : before),
        ...changes,
        ...(departmentIds && { departmentIds: [...new Set(departmentIds)] }),
        updatedAt: timestamp(now),
      };
      const joined = user.departmentIds.filter((id) => !before.departmentIds.includes(id));
      const changed = changedFields(before, {
        ...changes,
        ...(departmentIds && { departmentIds: user.departmentIds }),
      });
      if (changed.length === 0) {
        return ok({ message: 'No changes', data: toUserResponse(before) });
      }
      const kept = keptWorkflows(
        workflows.map(({ data }) => data),
        before,
        user,
      );
      const notify = keptNotification(user, kept);
      await table.commit([
        table.replace(stored, user),
        userEventAction(
          table,
          {
            userId: user._id,
            changed,
            notify,
            ...(endsSessions && user.disabled && { account: 'disabled' }),
          },
          { eventId, now },
        ),
        ...joinActions(table, joined, (id) => departmentNotFound(departmentIds ?? [], id)),
        ...(user.accessRole === before.accessRole
          ? []
          : [
              accountNoticeAction(
                identity,
                user,
                { event: 'role-changed', role: user.accessRole },
                mailId,
                now,
              ),
            ]),
        ...(endsSessions ? [sessionsEndedAction(table, { userId: user._id }, sessionsEventId, now)] : []),
        // If two administrators demote each other at the same time, the second must be checked again.
        ...(actor !== undefined && isAtHome && actor.data._id !== before._id
          ? [table.require(actor.key, { ifVersion: actor.version })]
          : []),
      ]);
      return ok({ message: `User updated${keptMessage(kept)}`, data: toUserResponse(user) });
    });
  },
});
