export const runStatuses = ['running', 'waiting', 'finished', 'failed', 'cancelled'] as const;
export type RunStatus = (typeof runStatuses)[number];

export const stepStatuses = ['passed', 'waiting', 'skipped', 'failed'] as const;
export type StepStatus = (typeof stepStatuses)[number];
