import { figure, markdownTable } from '../table.ts';
import { runPrices } from '../workflow-report.ts';
import type { MeasuredWorkflows } from '../workflows.ts';
import type { JobPrice } from './job-prices.ts';
import type { PriceOfMillion } from './price-of-million.ts';

/** An operation, or what else clients often send, and its price. */
export interface Priced {
  readonly name: string;
  readonly price: PriceOfMillion;
}

/** The operations, and what else README.md names, each in its words. */
export const named = {
  'list-contacts-by-stage': 'boards, warm, whatever the number of contacts',
  'create-contact': 'contacts created',
  'move-contact': 'contacts moved to another stage',
  'create-contact by an API key': 'contacts created by an API key',
  'import of names, addresses and numbers, all new': 'contacts imported',
  'bulk change that adds a tag': 'contacts changed in bulk',
  'event, its entry in the log': 'entries of events in the log',
  'delivery to a webhook endpoint': 'deliveries of an event to a webhook endpoint',
  'further attempt of a delivery': 'further attempts of these',
} as const;

/** The prices in README.md. @throws if one of them was not measured. */
export function costList(
  priced: readonly Priced[],
  jobs: readonly JobPrice[],
  runs: MeasuredWorkflows,
): string {
  const all = new Map([
    ...priced.map(({ name, price }) => [name, price.all] as const),
    ...jobs.map(({ what, million }) => [what, million] as const),
  ]);
  const operations = Object.entries(named).map(([name, words]) => {
    const found = all.get(name);
    if (found === undefined) {
      throw new Error(`${name} was not measured.`);
    }
    return [words, figure(found, 2)];
  });
  return markdownTable(['A million', 'Dollars'], [...operations, ...runPrices(runs)], 2);
}
