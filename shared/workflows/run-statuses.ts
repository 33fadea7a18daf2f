export const runStatuses = ['running', 'waiting', 'finished', 'failed', 'cancelled'] as const;
export type RunStatus = (typeof runStatuses)[number];

export const stepStatuses = ['passed', 'waiting', 'skipped', 'failed'] as const;
export type StepStatus = (typeof stepStatuses)[number];

/** Why a step is skipped: words that clients can rely on, including the reasons why `startWorkflow` cannot start a run. */
export const skipReasons = [
  'contact_gone',
  'contact_not_visible',
  'dangling_edge',
  'filter_not_met',
  'invalid_data',
  'loop_guard',
  'no_application',
  'no_conversation',
  'no_date',
  'no_number',
  'no_user',
  'opted_out',
  'outside_hours',
  'owner_disabled',
  'pipeline_gone',
  'rate_of_contact',
  'reentry',
  'stage_gone',
  'template_changed',
  'template_gone',
  'unknown_type',
  'user_gone',
  'workflow_gone',
] as const;
export type SkipReason = (typeof skipReasons)[number];
