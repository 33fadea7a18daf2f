import { updateContact } from '../../definition/contact-nodes.ts';
import { executable } from '../executable.ts';
import { findGoneUser, skippedFor } from '../gone.ts';
import { requireContact } from '../step-context.ts';
import { textsFrom } from '../texts.ts';

export default executable(updateContact, {
  read({ set: { owner, assignees = [] } }, sources) {
    const { filledIn } = textsFrom(sources);
    return findGoneUser(sources, filledIn([owner ?? '', ...assignees]).filter(Boolean));
  },
  decide({ set }, input) {
    const { extra: gone } = input;
    if (gone !== undefined) {
      return skippedFor(gone);
    }
    return {
      outcome: { status: 'passed' },
      effect: {
        operation: 'update-contact',
        path: { id: requireContact(input.context).contact._id },
        body: textsFrom(input).filledIn(set),
      },
    };
  },
});
