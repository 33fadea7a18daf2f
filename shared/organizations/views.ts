/** A list of everybody's records, or of one user's. */
export type PersonalView = readonly ['all'] | readonly ['user', string];

/** A contact is in every list that shows it: of all contacts, of single users, or of unassigned contacts. */
export type View = PersonalView | readonly ['unassigned'];
