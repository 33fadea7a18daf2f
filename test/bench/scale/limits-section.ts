import { figure, markdownTable } from '../table.ts';
import type { Limit } from './load.ts';
import type { Scenario } from './scenarios.ts';

/** The limits of each scenario that break first. */
const maxRows = 6;

/** The limits that break first under the load of a scenario, as Markdown. */
export function limitsSection(
  { title, rate, unit }: Pick<Scenario, 'title' | 'rate' | 'unit'>,
  limits: readonly Limit[],
): string {
  const rows = limits.slice(0, maxRows).map(({ what, needed, limit }) => {
    const breaksAt = needed <= limit ? '' : figure((rate * limit) / needed);
    return [what, figure(needed), figure(limit), breaksAt];
  });
  const table = markdownTable(['What', 'needed', 'limit', `breaks at, ${unit}`], rows, 1);
  return `### ${title}: ${figure(rate)} ${unit}\n\n${table}`;
}
