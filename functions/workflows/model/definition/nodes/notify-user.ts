import * as z from 'zod/mini';
import { described } from '../../../../../shared/kernel/schemas/descriptions.ts';
import { nonEmptyString } from '../../../../../shared/kernel/schemas/fields.ts';
import { noteLimit } from '../../../../../shared/notes/note-fields.ts';
import { isHidden, lacking } from '../can-see.ts';
import { type Gone, goneUser, skippedFor } from '../gone.ts';
import { knownState } from '../known-contact.ts';
import { textsFrom } from '../texts.ts';
import { UserOrPlaceholder, userReferences } from '../user-fields.ts';
import { nodeType } from './node-type.ts';

const Data = described(
  z.object({ userId: z.optional(UserOrPlaceholder), message: nonEmptyString(noteLimit) }),
  {
    userId:
      "The user to notify; the contact's owner by default. May be a placeholder, like `{{event.userId}}`.",
    message: 'What to say; with placeholders. A notification shows its beginning.',
  },
);

export default nodeType<z.output<typeof Data>, Gone | 'hidden'>({
  type: 'notifyUser',
  title: 'Notify a user',
  description:
    "Stores a notification of the type `automation` as `POST /api/notifications` does. A user who is disabled, has turned off `automationTriggers` or cannot see the contact gets none; the step then has the reason. Skipped with `no_user` if no user is named and the contact has no owner, and `user_gone` if the user is not in the organization. The step has the notification's `notificationId`.",
  schema: Data,
  actsAsOwner: true,
  needsContact: true,
  references: ({ userId }) => userReferences([['userId', userId]]),
  async read({ userId }, sources) {
    const to =
      userId === undefined ? sources.facts.state?.contact.owner : textsFrom(sources).filledOrNone(userId);
    if (!to) {
      return (await isHidden(sources)) ? 'hidden' : undefined;
    }
    return userId === undefined ? undefined : goneUser(sources, [to]);
  },
  decide({ userId, message }, { facts, now, extra: gone }) {
    if (gone !== undefined && gone !== 'hidden') {
      return skippedFor(gone);
    }
    const texts = textsFrom({ facts, now });
    const { contact } = knownState(facts);
    const to = userId === undefined ? contact.owner : texts.filledOrNone(userId);
    if (!to) {
      return lacking('no_user', 'Contact', gone === 'hidden');
    }
    return {
      outcome: { status: 'passed' },
      effect: {
        operation: 'notify-user',
        body: { contactId: contact._id, userId: to, message: texts.filled(message) },
        resultId: 'notificationId',
      },
    };
  },
});
