/** Workflows that may be named to end their runs for a contact. */
export const maxWorkflows = 50;
