import { addNote } from '../../definition/record-nodes.ts';
import { executable } from '../executable.ts';
import { findGoneUser, skippedFor } from '../gone.ts';
import { requireContact } from '../step-context.ts';
import { textsFrom } from '../texts.ts';

export default executable(addNote, {
  read({ mentions = [] }, sources) {
    const texts = textsFrom(sources);
    return findGoneUser(
      sources,
      mentions.flatMap((mention) => texts.filledOrNone(mention) ?? []),
    );
  },
  decide({ note, mentions = [] }, { context, now, extra: gone }) {
    if (gone !== undefined) {
      return skippedFor(gone);
    }
    const texts = textsFrom({ context, now });
    return {
      outcome: { status: 'passed' },
      effect: {
        operation: 'create-note',
        body: {
          contactId: requireContact(context).contact._id,
          note: texts.filled(note),
          mentions: mentions.flatMap((mention) => texts.filledOrNone(mention) ?? []),
        },
        resultId: 'noteId',
      },
    };
  },
});
