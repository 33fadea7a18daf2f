import * as z from 'zod/mini';
import { reaches, roles } from '../../shared/kernel/caller.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { Failure } from '../../shared/kernel/failure.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { changeResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { Id } from '../../shared/kernel/schemas/fields.ts';
import { departmentLimit, departmentNotFound } from '../../shared/organizations/departments.ts';
import { departmentKey } from '../../shared/organizations/organization.ts';
import { queueMailAction } from '../../shared/organizations/queued-mail.ts';
import { textSettings } from '../../shared/organizations/text-settings.ts';
import { emailCredentialsKeys } from './model/credentials.ts';
import { emailDigest, MailableEmail } from './model/email.ts';
import { latestInvitationKey } from './model/invitation.ts';
import { InvitationResponse, toInvitationResponse } from './model/invitation-response.ts';
import { authLimits } from './model/login-policy.ts';
import { invitationKeys, invitationThrottles } from './model/mail-limits.ts';
import { emailTaken } from './model/new-account.ts';
import { invitationActions, newInvitation } from './model/new-invitation.ts';
import { countingActions } from './model/throttle.ts';

export default operation({
  route: 'POST /api/users/invitations',
  tag: 'Users',
  summary: 'Invite somebody to join the organization',
  description: [
    "Sends an email with a link to the address. The link ends with `token=` and the token for `POST /api/auth/invitations/accept`, and works for 7 days. Whoever accepts gets an account with this address, role and departments. Nobody may assign a role above their own. Inviting an address again replaces the organization's earlier invitation of it, whose link stops working.",
    'If the address already has an account, in any organization, the response is 409, and the request still counts as an invitation; it is also 409 if the operator has not configured an email sender. Beyond the limits of invitations, it is 429. [Auth](#/Auth) has them.',
  ].join('\n\n'),
  family: 'plain',
  minimumRole: 'ADMIN',
  status: 201,
  body: z.object({
    email: MailableEmail,
    role: z._default(z.enum(roles), 'SALES_REP'),
    departmentIds: z._default(z.array(Id).check(z.maxLength(departmentLimit)), []),
  }),
  descriptions: {
    email: 'The address that the email goes to, and that the account will have.',
    role: 'The role that the account will have.',
    departmentIds: 'Departments of the organization that the account will be in, at most 50.',
  },
  output: changeResponse(InvitationResponse),
  failures: ['CONFLICT', 'TOO_MANY_ATTEMPTS'],
  limits: [authLimits.inviting, authLimits.invited],
  example: {
    body: { email: 'grace@example.com', role: 'SALES_REP', departmentIds: [demo.salesNorth] },
  },
  uses: { table: 'write', identity: 'write', mail: 'sender', trialPolicy: 'read' },
  async run({ body }, { table, identity, mail, trialPolicy, caller, now, newId }) {
    if (!reaches(caller.role, body.role)) {
      throw new Failure('FORBIDDEN', 'You may not assign a role above your own.');
    }
    if (!mail.isConfigured) {
      throw new Failure(
        'CONFLICT',
        'This service cannot send email: its operator must set the sender (mailFrom). Register the user instead.',
      );
    }
    const { organizationId } = caller;
    const digest = emailDigest(body.email);
    const keys = emailCredentialsKeys(body.email);
    const departmentIds = [...new Set(body.departmentIds)];
    const invitation = newInvitation(newId(), caller, { ...body, departmentIds }, now);
    const ids = { mail: newId(), event: newId(), replacedEvent: newId() };
    const throttleKeys = invitationKeys(organizationId, digest);

    await table.optimistically(async () => {
      const [read, latest, settings, departments] = await Promise.all([
        identity.readMany<unknown>([...keys, ...throttleKeys]),
        table.read(latestInvitationKey(digest)),
        table.read(textSettings.key, { consistent: false }),
        table.readMany(departmentIds.map(departmentKey)),
      ]);
      const account = read.slice(0, keys.length).find((record) => record !== undefined);
      const counted = read.slice(keys.length);
      // Before anything is said of the address, and counted where something is: nobody can ask for one after the other.
      const missing = departments.indexOf(undefined);
      if (missing !== -1) {
        throw departmentNotFound(body.departmentIds, departmentIds[missing]);
      }
      const throttles = invitationThrottles(
        throttleKeys,
        counted.map((record) => record?.attributes),
        settings?.data.invitationsPerDay ?? null,
        trialPolicy.mail,
      );
      const counting = countingActions(identity, throttles, now);
      if (account !== undefined) {
        await (counting.length > 0 && identity.commit(counting));
        throw emailTaken();
      }
      await table.commit([
        ...keys.map((key) =>
          identity.require(key, { when: 'attribute_not_exists(pk)', otherwise: emailTaken }),
        ),
        ...counting,
        ...departmentIds.map((id) =>
          table.require(departmentKey(id), {
            when: 'attribute_exists(pk)',
            otherwise: () => departmentNotFound(body.departmentIds, id),
          }),
        ),
        ...invitationActions(table, invitation, latest, ids, now),
        queueMailAction(
          identity,
          { kind: 'invitation', organizationId, invitationId: invitation._id },
          ids.mail,
          now,
        ),
      ]);
    });
    return ok({ message: 'Invitation on its way', data: toInvitationResponse(invitation, now) });
  },
});
