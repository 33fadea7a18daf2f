import { Failure } from '../kernel/failure.ts';

/** Who reacted to a note with an emoji, in the order in which they did. */
export interface Reaction {
  emoji: string;
  users: string[];
}

/** So that a note with all its reactions fits into one record. */
const limits = { emoji: 50, users: 2_000 };

/** The same heart, as a text character or as a picture, is one emoji. */
const variationSelector = '\ufe0f';
const plain = (emoji: string) => emoji.replaceAll(variationSelector, '');

/**
 * The reactions with the user's added, or taken back when it was there.
 * @throws a 400 `Failure` for one more than a note takes.
 */
export function toggled(reactions: readonly Reaction[], emoji: string, userId: string): Reaction[] {
  const known = reactions.find((reaction) => plain(reaction.emoji) === plain(emoji));
  if (known?.users.includes(userId)) {
    return reactions
      .map((reaction) => (reaction === known ? without(reaction, userId) : reaction))
      .filter(({ users }) => users.length > 0);
  }
  requireRoom(reactions, known);
  return known === undefined
    ? [...reactions, { emoji, users: [userId] }]
    : reactions.map((reaction) =>
        reaction === known ? { ...reaction, users: [...reaction.users, userId] } : reaction,
      );
}

function without({ emoji, users }: Reaction, userId: string): Reaction {
  return { emoji, users: users.filter((id) => id !== userId) };
}

function requireRoom(reactions: readonly Reaction[], known: Reaction | undefined): void {
  if (known === undefined && reactions.length >= limits.emoji) {
    throw new Failure('INVALID', `emoji must be one of the ${limits.emoji} that this note has already`);
  }
  if (reactions.reduce((sum, { users }) => sum + users.length, 0) >= limits.users) {
    throw new Failure('INVALID', `emoji cannot be added: a note takes ${limits.users} reactions`);
  }
}
