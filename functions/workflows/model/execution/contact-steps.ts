import { userKey } from '../../../../shared/organizations/user.ts';
import { addTags, assign, moveStage, removeTags, updateContact } from '../definition/contact-nodes.ts';
import { stageRequest } from '../definition/node-fields.ts';
import { isHidden, lacking } from './can-see.ts';
import { type AnyExecutable, type DecisionInput, executable } from './executable.ts';
import { findGoneStage, findGoneUser, type Gone, skippedFor } from './gone.ts';
import { readRoundRobin } from './round-robin.ts';
import { requireContact } from './step-context.ts';
import { textsFrom } from './texts.ts';

/** How runs take the steps of nodes that change the contact. */
export const contactSteps: readonly AnyExecutable[] = [
  executable(assign, {
    async read({ userId, roundRobin = [] }, sources): Promise<Extra> {
      const { table, run, nodeId } = sources;
      if (roundRobin.length === 0) {
        const owner = textsFrom(sources).filledOrNone(userId);
        return owner === undefined
          ? { position: 0, available: [], isHidden: await isHidden(sources) }
          : { position: 0, available: [], gone: await findGoneUser(sources, [owner]) };
      }
      const ids = [...new Set(roundRobin)];
      const [position, users] = await Promise.all([
        readRoundRobin(table, run.workflowId, nodeId),
        table.readMany(ids.map(userKey)),
      ]);
      return { position, available: ids.filter((_, index) => users[index]?.data.disabled === false) };
    },
    decide(
      { userId, roundRobin },
      { context, now, extra: { position, available, gone, isHidden: hidden = false } },
    ) {
      if (gone !== undefined) {
        return skippedFor(gone);
      }
      const { contact } = requireContact(context);
      const next = roundRobin && nextInRoundRobin(roundRobin, position, available);
      const owner = next?.userId ?? textsFrom({ context, now }).filledOrNone(userId);
      if (owner === undefined) {
        return lacking('no_user', 'Contact', hidden);
      }
      return {
        outcome: { status: 'passed' },
        effect: { operation: 'update-contact', path: { id: contact._id }, body: { owner } },
        ...(next && { roundRobin: { before: position, after: next.position } }),
      };
    },
  }),
  executable(addTags, { decide: changeTags('addTags') }),
  executable(removeTags, { decide: changeTags('removeTags') }),
  executable(moveStage, {
    read: (data, sources) =>
      findGoneStage(sources, data, 'Contact', sources.context.state?.contact.pipelineId),
    decide(data, { context, extra: gone }) {
      if (gone !== undefined) {
        return skippedFor(gone);
      }
      return {
        outcome: { status: 'passed' },
        effect: {
          operation: 'move-contact',
          path: { id: requireContact(context).contact._id },
          body: stageRequest(data, context.pipelines),
        },
      };
    },
  }),
  executable(updateContact, {
    read({ set: { owner, assignees = [], addAssignees = [] } }, sources) {
      const { filledIn } = textsFrom(sources);
      return findGoneUser(sources, filledIn([owner ?? '', ...assignees, ...addAssignees]).filter(Boolean));
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
  }),
];

interface Extra {
  readonly position: number;
  /** The users of `roundRobin` who are active. */
  readonly available: readonly string[];
  /** Set if the user with `userId` is gone. */
  readonly gone?: Gone;
  /** Whether there is nobody to assign, and the owner of the workflow may not see the contact. */
  readonly isHidden?: boolean;
}

/** The first available user from this position on, and the position after that user. */
function nextInRoundRobin(roundRobin: readonly string[], position: number, available: readonly string[]) {
  for (let passed = 0; passed < roundRobin.length; passed += 1) {
    const userId = roundRobin[(position + passed) % roundRobin.length];
    if (userId !== undefined && available.includes(userId)) {
      return { userId, position: position + passed + 1 };
    }
  }
  return undefined;
}

/** @param field of `PUT /api/contacts/{id}`. */
function changeTags(field: 'addTags' | 'removeTags') {
  return ({ tags }: { readonly tags: readonly string[] }, { context, now }: DecisionInput<undefined>) =>
    ({
      outcome: { status: 'passed' },
      effect: {
        operation: 'update-contact',
        path: { id: requireContact(context).contact._id },
        body: { [field]: textsFrom({ context, now }).filledIn(tags) },
      },
    }) as const;
}
