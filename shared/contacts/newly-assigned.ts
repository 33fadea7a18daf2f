/** The users that a contact or a conversation is assigned to. */
export interface Assigned {
  readonly owner: string | null;
  readonly assignees: readonly string[];
}

const nobody: Assigned = { owner: null, assignees: [] };

/** The users who are new as owner or assignees, each once, the owner first. */
export function newlyAssigned(before: Assigned | undefined, { owner, assignees }: Assigned): string[] {
  const had = before ?? nobody;
  const newOwner = owner === null || owner === had.owner ? [] : [owner];
  return [...new Set([...newOwner, ...assignees.filter((userId) => !had.assignees.includes(userId))])];
}
