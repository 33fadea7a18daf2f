import * as z from 'zod/mini';
import { described } from '../../../../../shared/kernel/schemas/descriptions.ts';
import { Id } from '../../../../../shared/kernel/schemas/fields.ts';
import { userKey } from '../../../../../shared/organizations/user.ts';
import { isHidden, lacking } from '../can-see.ts';
import { type Gone, goneUser, skippedFor } from '../gone.ts';
import { knownState } from '../known-contact.ts';
import { textsFrom } from '../texts.ts';
import { turnsTaken } from '../turns.ts';
import { UserOrPlaceholder, userReferences } from '../user-fields.ts';
import { nodeType } from './node-type.ts';

const maxInTurn = 50;

const Data = described(
  z
    .object({
      userId: z.optional(UserOrPlaceholder),
      roundRobin: z.optional(z.array(Id).check(z.minLength(1), z.maxLength(maxInTurn))),
    })
    .check(
      z.refine(({ userId, roundRobin }) => (userId === undefined) !== (roundRobin === undefined), {
        path: ['userId'],
        error: 'or roundRobin is required, and not both',
      }),
    ),
  {
    userId: 'The new owner. May be a placeholder, like `{{event.userId}}`.',
    roundRobin:
      'Instead of `userId`, the ids of at most 50 users who become owners in turn over all runs of the workflow. One who is disabled or gone is passed over.',
  },
  { oneOf: [{ required: ['userId'] }, { required: ['roundRobin'] }] },
);

interface Extra {
  readonly turns: number;
  /** The users of `roundRobin` who can take a turn. */
  readonly available: readonly string[];
  /** Of `userId`. */
  readonly gone?: Gone;
  /** Whether there is nobody to assign, and the owner of the workflow may not see the contact. */
  readonly isHidden?: boolean;
}

export default nodeType<z.output<typeof Data>, Extra>({
  type: 'assign',
  title: 'Assign the contact',
  description:
    'Makes a user the owner of the contact as `PUT /api/contacts/{id}` does: the new owner takes over the conversations of the previous one, and is notified. With `roundRobin`, each run takes the next user: the turn counts in the same transaction, so that none is lost or taken twice, even if many runs take turns at the same time. Skipped with `no_user` if there is nobody to assign, and `user_gone` if the user is not in the organization.',
  schema: Data,
  actsAsOwner: true,
  needsContact: true,
  references: ({ userId, roundRobin = [] }) =>
    userReferences([
      ['userId', userId],
      ...roundRobin.map((id, index) => [`roundRobin[${index}]`, id] as const),
    ]),
  async read({ userId, roundRobin = [] }, sources) {
    const { table, run, nodeId } = sources;
    if (roundRobin.length === 0) {
      const owner = textsFrom(sources).filledOrNone(userId);
      return owner === undefined
        ? { turns: 0, available: [], isHidden: await isHidden(sources) }
        : { turns: 0, available: [], gone: await goneUser(sources, [owner]) };
    }
    const ids = [...new Set(roundRobin)];
    const [turns, users] = await Promise.all([
      turnsTaken(table, run.workflowId, nodeId),
      table.readMany(ids.map(userKey)),
    ]);
    return { turns, available: ids.filter((_, index) => users[index]?.data.disabled === false) };
  },
  decide(
    { userId, roundRobin },
    { facts, now, extra: { turns, available, gone, isHidden: hidden = false } },
  ) {
    if (gone !== undefined) {
      return skippedFor(gone);
    }
    const { contact } = knownState(facts);
    const next = roundRobin && nextInTurn(roundRobin, turns, available);
    const owner = next?.userId ?? textsFrom({ facts, now }).filledOrNone(userId);
    if (owner === undefined) {
      return lacking('no_user', 'Contact', hidden);
    }
    return {
      outcome: { status: 'passed' },
      effect: { operation: 'update-contact', path: { id: contact._id }, body: { owner } },
      ...(next && { turn: { before: turns, after: next.turns } }),
    };
  },
});

/** The first available user from the one whose turn it is, and the turns taken after that. Passing over a user counts as a turn. */
function nextInTurn(roundRobin: readonly string[], turns: number, available: readonly string[]) {
  for (let passed = 0; passed < roundRobin.length; passed += 1) {
    const userId = roundRobin[(turns + passed) % roundRobin.length];
    if (userId !== undefined && available.includes(userId)) {
      return { userId, turns: turns + passed + 1 };
    }
  }
  return undefined;
}
