import type { BoardPlan } from './board-plan.ts';
import type { CustomFieldTest } from './custom-filters.ts';

/**
 * What a board shows of its stages, as a text: boards with the same one find the same contacts in a stage as long as no card of it changes,
 * whoever asks and however the request says it. Undefined for a board that also depends on the time.
 */
export function selectionOf(
  { views, created, conditions }: Pick<BoardPlan, 'views' | 'created' | 'conditions'>,
  customFields: readonly CustomFieldTest[],
): string | undefined {
  if (conditions.silentSince !== undefined) {
    return undefined;
  }
  const custom = customFields.map(({ key, wanted }) => [key, wanted]);
  return JSON.stringify({ views, created, conditions, custom }, (_, value: unknown) =>
    value instanceof Set ? [...value].sort() : value,
  );
}
