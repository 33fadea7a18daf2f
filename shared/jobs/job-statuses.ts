/** The types of jobs: each has a kind of due entry of its own. */
export const jobTypes = ['bulk', 'export', 'import'] as const;
export type JobTypeName = (typeof jobTypes)[number];

export const jobStatuses = ['queued', 'running', 'done', 'failed', 'cancelled', 'reverted'] as const;
export type JobStatus = (typeof jobStatuses)[number];

export const recordStatuses = ['created', 'updated', 'skipped', 'failed'] as const;
export type RecordStatus = (typeof recordStatuses)[number];

/** What becomes of a contact when a job is reverted. */
export type RevertStatus = 'deleted' | 'restored' | 'kept';
