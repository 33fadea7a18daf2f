import * as z from 'zod/mini';
import type { StoredContact } from '../../shared/contacts/contact.ts';
import { findContact } from '../../shared/contacts/find-contact.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { Failure } from '../../shared/kernel/failure.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { changeResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { Id, nonEmptyString } from '../../shared/kernel/schemas/fields.ts';
import { timestamp } from '../../shared/kernel/time.ts';
import { noteLimit } from '../../shared/notes/note-fields.ts';
import { contactName } from '../../shared/notifications/contact-name.ts';
import { excerpt } from '../../shared/notifications/excerpt.ts';
import { NotificationResponse } from '../../shared/notifications/notification-response.ts';
import {
  findRecipients,
  type NotificationContent,
  notifyActions,
} from '../../shared/notifications/notify.ts';
import { readPreferences, wants } from '../../shared/notifications/preferences.ts';
import { displayName, type User, userKey } from '../../shared/organizations/user.ts';
import { involvedPeople, readScope, sees } from '../../shared/organizations/visibility.ts';

export default operation({
  route: 'POST /api/notifications',
  summary: 'Notify a user about a contact',
  description:
    "For automations outside this service; its workflows do the same with the step `notifyUser`. Everyone who can see the contact may notify any user of the organization, including themselves. The notification has the type `automation` and the beginning of `message` as its message. Its title is your name and that of the contact, or the contact's name alone if it comes from the step of a workflow. A user who is disabled, has turned off the preference `automationTriggers` or cannot see the contact gets none: then the status is 200, `data` is null, and `message` says why.",
  family: 'plain',
  minimumRole: 'SALES_REP',
  asStep: true,
  status: 201,
  createsNothing: {
    when: ({ data }) => data === null,
    message: 'Not notified: the user has turned off such notifications',
    differing: { data: null },
  },
  body: z.object({ contactId: Id, userId: Id, message: nonEmptyString(noteLimit) }),
  descriptions: {
    contactId: 'The contact that it is about.',
    userId: 'The user to notify.',
    message: 'What to say. The notification shows its beginning, on one line.',
  },
  output: changeResponse(z.nullable(NotificationResponse)),
  failures: ['NOT_FOUND'],
  example: {
    body: { contactId: demo.ada, userId: demo.rep, message: 'Ada has replied after three weeks.' },
  },
  uses: { table: 'write' },
  async run({ body }, { table, caller, now, newId }) {
    const ids = { notification: newId(), event: newId() };
    return table.optimistically(async () => {
      const [contact, [recipient], preferences, author] = await Promise.all([
        findContact(table, caller, body.contactId),
        findRecipients(table, [body.userId]),
        readPreferences(table, body.userId),
        table.causedBy === undefined ? table.read(userKey(caller.userId)) : undefined,
      ]);
      if (recipient === undefined) {
        throw new Failure('NOT_FOUND', 'userId is not the id of a user of this organization');
      }
      const { _id: userId, accessRole: role, disabled } = recipient.user;
      if (disabled) {
        return ok({ message: 'Not notified: the user is disabled', data: null });
      }
      if (!wants(preferences, 'automation')) {
        return ok({ message: 'Not notified: the user has turned off such notifications', data: null });
      }
      if (!sees(await readScope({ userId, role }, table), involvedPeople(contact.data))) {
        return ok({ message: 'Not notified: the user cannot see the contact', data: null });
      }
      const notification: NotificationContent = {
        _id: ids.notification,
        type: 'automation',
        title: excerpt(titleOf(contact.data, { author: author?.data, isStep: table.causedBy !== undefined })),
        message: excerpt(body.message),
        contactId: body.contactId,
        createdAt: timestamp(now),
      };
      await table.commit([
        // If the contact changed or was deleted since it was read, the user may no longer see it.
        table.require(contact.key, { ifVersion: contact.version }),
        ...notifyActions(table, notification, [recipient], ids.event, now),
      ]);
      return ok({ message: 'User notified', data: { ...notification, userId, isRead: false } });
    });
  },
});

/** A notification by hand names its author, so that nobody takes it for a workflow's. */
function titleOf(
  contact: StoredContact,
  { author, isStep }: { readonly author: User | undefined; readonly isStep: boolean },
): string {
  const name = contactName(contact);
  return isStep ? name : `${displayName(author)} about ${name}`;
}
