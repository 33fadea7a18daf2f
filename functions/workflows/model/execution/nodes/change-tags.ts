import { addTags, removeTags } from '../../definition/contact-nodes.ts';
import { type DecisionInput, executable } from '../executable.ts';
import { knownState } from '../facts.ts';
import { textsFrom } from '../texts.ts';

/** @param field of `PUT /api/contacts/{id}`. */
const changeTags =
  (field: 'addTags' | 'removeTags') =>
  ({ tags }: { readonly tags: readonly string[] }, { facts, now }: DecisionInput<undefined>) =>
    ({
      outcome: { status: 'passed' },
      effect: {
        operation: 'update-contact',
        path: { id: knownState(facts).contact._id },
        body: { [field]: textsFrom({ facts, now }).filledIn(tags) },
      },
    }) as const;

export const addTagsExecutable = executable(addTags, { decide: changeTags('addTags') });
export const removeTagsExecutable = executable(removeTags, { decide: changeTags('removeTags') });
