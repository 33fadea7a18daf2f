import { addNote } from '../../definition/record-nodes.ts';
import { executable } from '../executable.ts';
import { knownState } from '../facts.ts';
import { goneUser, skippedFor } from '../gone.ts';
import { textsFrom } from '../texts.ts';

export default executable(addNote, {
  read({ mentions = [] }, sources) {
    const texts = textsFrom(sources);
    return goneUser(
      sources,
      mentions.flatMap((one) => texts.filledOrNone(one) ?? []),
    );
  },
  decide({ note, mentions = [] }, { facts, now, extra: gone }) {
    if (gone !== undefined) {
      return skippedFor(gone);
    }
    const texts = textsFrom({ facts, now });
    return {
      outcome: { status: 'passed' },
      effect: {
        operation: 'create-note',
        body: {
          contactId: knownState(facts).contact._id,
          note: texts.filled(note),
          mentions: mentions.flatMap((one) => texts.filledOrNone(one) ?? []),
        },
        resultId: 'noteId',
      },
    };
  },
});
