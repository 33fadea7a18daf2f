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

/** Compares a field (`contact.…`, `event.…`, `businessHours.open`, `step.<nodeId>.…`) with a value. */
export interface Rule {
  readonly field: string;
  readonly operator: (typeof operators)[number];
  readonly value?: unknown;
}
