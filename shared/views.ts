/** A list that holds everybody's records, or those of one user. */
export type PersonalView = readonly ['all'] | readonly ['user', string];

/** Contacts are listed under every view that shows them: all, those of one user, those of nobody. */
export type View = PersonalView | readonly ['unassigned'];
