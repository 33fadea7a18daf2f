import * as demo from '../../shared/kernel/demo-ids.ts';
import { Failure, notFound } from '../../shared/kernel/failure.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { messageResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { emailDigest } from './model/email.ts';
import { forgottenAt, invitationKey, latestInvitationKey } from './model/invitation.ts';
import { invitationEventAction } from './model/new-invitation.ts';

export default operation({
  route: 'DELETE /api/users/invitations/{id}',
  tag: 'Users',
  summary: 'Delete an invitation',
  description:
    'Its link stops working at once, and an email that is still queued is not sent. An invitation that has been accepted is not deleted (409): disable the user instead.',
  family: 'plain',
  minimumRole: 'ADMIN',
  output: messageResponse(),
  failures: ['NOT_FOUND', 'CONFLICT'],
  example: { path: { id: demo.spareInvitation } },
  uses: { table: 'write' },
  async run({ path }, { table, now, newId }) {
    const eventId = newId();
    return table.optimistically(async () => {
      const stored = await table.read(invitationKey(path.id));
      if (stored === undefined) {
        throw notFound('Invitation');
      }
      if (stored.data.accepted !== undefined) {
        throw new Failure('CONFLICT', 'The invitation has been accepted. Disable the user instead.');
      }
      await table.commit([
        table.delete(stored.key, { ifVersion: stored.version }),
        // Otherwise the next invitation of the address would replace this one. Once both may have expired, it may be that of a later one.
        ...(forgottenAt(stored.data) > now
          ? [table.delete(latestInvitationKey(emailDigest(stored.data.email)))]
          : []),
        invitationEventAction(table, { invitationId: path.id, change: 'deleted' }, { eventId, now }),
      ]);
      return ok({ message: 'Invitation deleted' });
    });
  },
});
