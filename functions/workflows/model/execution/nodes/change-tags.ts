import { addTags, removeTags } from '../../definition/contact-nodes.ts';
import { type DecisionInput, executable } from '../executable.ts';
import { requireContact } from '../step-context.ts';
import { textsFrom } from '../texts.ts';

/** @param field of `PUT /api/contacts/{id}`. */
const changeTags =
  (field: 'addTags' | 'removeTags') =>
  ({ tags }: { readonly tags: readonly string[] }, { context, now }: DecisionInput<undefined>) =>
    ({
      outcome: { status: 'passed' },
      effect: {
        operation: 'update-contact',
        path: { id: requireContact(context).contact._id },
        body: { [field]: textsFrom({ context, now }).filledIn(tags) },
      },
    }) as const;

export const addTagsExecutable = executable(addTags, { decide: changeTags('addTags') });
export const removeTagsExecutable = executable(removeTags, { decide: changeTags('removeTags') });
