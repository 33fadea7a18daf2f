import { userKey } from '../../../../../shared/organizations/user.ts';
import { assign } from '../../definition/contact-nodes.ts';
import { isHidden, lacking } from '../can-see.ts';
import { executable } from '../executable.ts';
import { knownState } from '../facts.ts';
import { type Gone, goneUser, skippedFor } from '../gone.ts';
import { textsFrom } from '../texts.ts';
import { turnsTaken } from '../turns.ts';

interface Extra {
  readonly turns: number;
  /** The users of `roundRobin` who can take a turn. */
  readonly available: readonly string[];
  /** Of `userId`. */
  readonly gone?: Gone;
  /** Whether there is nobody to assign, and the owner of the workflow may not see the contact. */
  readonly isHidden?: boolean;
}

export default executable(assign, {
  async read({ userId, roundRobin = [] }, sources): Promise<Extra> {
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
