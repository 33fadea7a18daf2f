import { notifyUser } from '../../definition/record-nodes.ts';
import { isHidden, lacking } from '../can-see.ts';
import { executable } from '../executable.ts';
import { findGoneUser, skippedFor } from '../gone.ts';
import { requireContact } from '../step-context.ts';
import { textsFrom } from '../texts.ts';

export default executable(notifyUser, {
  async read({ userId }, sources) {
    const to =
      userId === undefined ? sources.context.state?.contact.owner : textsFrom(sources).filledOrNone(userId);
    if (!to) {
      return (await isHidden(sources)) ? 'hidden' : undefined;
    }
    return userId === undefined ? undefined : findGoneUser(sources, [to]);
  },
  decide({ userId, message }, { context, now, extra: gone }) {
    if (gone !== undefined && gone !== 'hidden') {
      return skippedFor(gone);
    }
    const texts = textsFrom({ context, now });
    const { contact } = requireContact(context);
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
