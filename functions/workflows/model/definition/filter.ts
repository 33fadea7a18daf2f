/** Source: the page of workflows, "Rules". */
export const operators = [
  'equals',
  'not_equals',
  'contains',
  'starts_with',
  'gt',
  'gte',
  'lt',
  'lte',
  'in',
  'exists',
  'not_exists',
] as const;

export type Operator = (typeof operators)[number];

/** Compares a field (`contact.…`, `event.…`, `businessHours.open`, `step.<nodeId>.…`) with a value. */
export interface Rule {
  readonly field: string;
  readonly operator: Operator;
  readonly value?: unknown;
}

/** Whether all rules must hold, or one of them. */
export const matchKinds = ['all', 'any'] as const;
export type Match = (typeof matchKinds)[number];

/** Rules of which all must hold, or any. */
export interface Filter {
  readonly filter: readonly Rule[];
  readonly match: Match;
}
