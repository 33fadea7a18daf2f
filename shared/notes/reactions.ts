import { Failure } from '../kernel/failure.ts';

/** The users who reacted to a note with an emoji, first to last. */
export interface Reaction {
  emoji: string;
  users: string[];
}

/** With these limits a note and all its reactions fit into one record. */
const limits = { emoji: 50, users: 2_000 };

/** A heart is the same emoji with or without it. */
const variationSelector = '\ufe0f';
const plain = (emoji: string) => emoji.replaceAll(variationSelector, '');

/**
 * Adds the user's reaction, or removes it if it is there already.
 * @throws a 400 `Failure` when a note has too many.
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
    throw new Failure('INVALID', `emoji must be one of the ${limits.emoji} that this note already has`);
  }
  if (reactions.reduce((sum, { users }) => sum + users.length, 0) >= limits.users) {
    throw new Failure('INVALID', `emoji cannot be added: this note already has ${limits.users} reactions`);
  }
}
