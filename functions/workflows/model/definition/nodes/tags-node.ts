import * as z from 'zod/mini';
import { contactLimits, Tag } from '../../../../../shared/contacts/contact-fields.ts';
import { described } from '../../../../../shared/kernel/schemas/descriptions.ts';
import { knownState } from '../known-contact.ts';
import { textsFrom } from '../texts.ts';
import type { AnyNodeType, NodeType } from './node-type.ts';
import { nodeType } from './node-type.ts';

const Data = described(
  z.object({ tags: z.array(Tag).check(z.minLength(1), z.maxLength(contactLimits.tags)) }),
  { tags: 'Labels; may contain placeholders.' },
);

interface TagsNode extends Pick<NodeType, 'type' | 'title' | 'description'> {
  /** The field of `PUT /api/contacts/{id}`. */
  readonly field: 'addTags' | 'removeTags';
}

/** A type of node that changes some tags of the contact. */
export function tagsNode({ field, ...about }: TagsNode): AnyNodeType {
  return nodeType<z.output<typeof Data>>({
    ...about,
    schema: Data,
    actsAsOwner: true,
    needsContact: true,
    decide({ tags }, { facts, now }) {
      return {
        outcome: { status: 'passed' },
        effect: {
          operation: 'update-contact',
          path: { id: knownState(facts).contact._id },
          body: { [field]: textsFrom({ facts, now }).filledIn(tags) },
        },
      };
    },
  });
}
