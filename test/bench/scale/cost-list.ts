import { figure, markdownTable } from '../table.ts';
import { runPrices } from '../workflow-report.ts';
import type { MeasuredWorkflows } from '../workflows.ts';
import type { PriceOfMillion } from './price-of-million.ts';

/** An operation, or what else clients often send, and its price. */
export interface Priced {
  readonly name: string;
  readonly price: PriceOfMillion;
}

/** The operations that README.md names, each in its words. */
export const named = {
  'list-contacts-by-stage': 'boards, warm, whatever the number of contacts',
  'create-contact': 'contacts created',
  'move-contact': 'contacts moved to another stage',
} as const;

/** The prices in README.md. @throws if one of them was not measured. */
export function costList(priced: readonly Priced[], runs: MeasuredWorkflows): string {
  const operations = Object.entries(named).map(([name, words]) => {
    const found = priced.find((one) => one.name === name);
    if (found === undefined) {
      throw new Error(`${name} was not measured.`);
    }
    return [words, figure(found.price.all, 2)];
  });
  return markdownTable(['A million', 'Dollars'], [...operations, ...runPrices(runs)], 2);
}
