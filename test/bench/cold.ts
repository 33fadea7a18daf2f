import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { loadOperations } from '../../infra/registry.ts';
import { budgets, conclude, type Verdict } from './budgets.ts';
import { type Bundled, bundled, bundledDocumentClient } from './bundles.ts';
import { median } from './figures.ts';
import { importTimes } from './imports.ts';
import { wholeNumberFrom } from './options.ts';
import { figure, textTable } from './table.ts';

const { values } = parseArgs({
  options: { runs: { type: 'string', default: '15' }, only: { type: 'string', multiple: true } },
});
const runs = wholeNumberFrom(1, '--runs', values.runs);

const folder = await mkdtemp(join(tmpdir(), 'switchboard-bundles-'));
try {
  await report();
} finally {
  await rm(folder, { recursive: true });
}

async function report(): Promise<void> {
  const floor = await bundledDocumentClient(folder);
  const all = await bundled(await loadOperations(), folder);
  const functions = all.filter(({ name }) => values.only?.includes(name) ?? true);
  const times = await importTimes([floor, ...functions], runs);
  const timeOf = ({ name }: Bundled) => median(times.get(name) ?? []);
  const ratioOf = (bundle: Bundled) => timeOf(bundle) / timeOf(floor);

  console.log(`Bundles in bytes, and the time that their import takes: medians of ${runs} fresh processes each, in turns. ratio: to the
import of the document client alone. minified: what a start evaluates. lazy: files that only some calls load.
*: the budgets apply to it, as to all functions except those that contain a document to send.\n`);
  console.log(
    textTable(
      ['function', 'minified', 'gzipped', 'lazy', 'import ms', 'ratio', 'uses'],
      [floor, ...functions].map((bundle) => [
        bundle.name,
        figure(bundle.bytes),
        figure(bundle.gzipped),
        bundle.lazy === 0 ? '' : figure(bundle.lazy),
        figure(timeOf(bundle), 1),
        figure(ratioOf(bundle), 2),
        bundle.isHeld ? `* ${bundle.uses}` : `  ${bundle.uses}`,
      ]),
    ),
  );

  const held = functions.filter(({ isHeld }) => isHeld);
  const { bytes, importRatio } = budgets.bundle;
  conclude([
    ...verdicts(held, `at most ${figure(bytes)} bytes minified`, (bundle) => bundle.bytes, bytes, 0),
    ...verdicts(held, `import at most ${importRatio} x the document client's`, ratioOf, importRatio, 2),
  ]);
}

/** One for each function that exceeds its budget, and one for all others. */
function verdicts(
  held: readonly Bundled[],
  promise: string,
  measure: (bundle: Bundled) => number,
  most: number,
  decimals: number,
): Verdict[] {
  const [kept, broken] = [true, false].map((keeps) =>
    held.filter((bundle) => measure(bundle) <= most === keeps),
  );
  const largest = Math.max(0, ...(kept ?? []).map(measure));
  return [
    ...(broken ?? []).map((bundle) => ({
      promise: `${bundle.name}: ${promise}`,
      measured: figure(measure(bundle), decimals),
      kept: false,
    })),
    {
      promise: `${kept?.length} of ${held.length} functions: ${promise}`,
      measured: `${figure(largest, decimals)} at most`,
      kept: true,
    },
  ];
}
