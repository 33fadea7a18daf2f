// Whether the local host stays responsive, however much it stores and however long it runs.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { budgets, conclude, type Verdict } from './budgets.ts';
import { quantile, timed } from './figures.ts';
import { startBareServer, startHost } from './local-host.ts';
import { numberFrom } from './options.ts';
import { processorShare } from './processes.ts';
import { fillDirectory, type Holding, readHolding } from './soak-data.ts';
import { load, type Sample, works } from './soak-load.ts';
import { figure, textTable } from './table.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    contacts: { type: 'string', default: '200000' },
    records: { type: 'string', default: '500000' },
    data: { type: 'string' },
  },
});
const minutes = numberFrom(0, '--minutes', values.minutes);
const contacts = numberFrom(0, '--contacts', values.contacts);
const records = numberFrom(0, '--records', values.records);
const idleSeconds = 60;
const slowBareMilliseconds = 50;

const dataDir = values.data ? resolve(values.data) : await mkdtemp(join(tmpdir(), 'switchboard-soak-'));
try {
  const filled = await timed(() => fillDirectory(dataDir, { contacts, records, now: new Date() }));
  const before = await readHolding(dataDir);
  console.log(
    `${figure(before.items)} items and ${figure(before.records)} records of the stream, filled in ${figure(filled.ms / 1_000)} s`,
  );

  const { ms, result } = await timed(() => startHost(dataDir));
  console.log(
    `Ready in ${figure(ms / 1_000, 1)} s. Ten requests a second for ${figure(minutes, 1)} minutes; failures and responses above 500 ms:`,
  );
  const bare = await startBareServer();
  const samples = await load(result.url, bare.url, minutes);
  await bare.stop();
  const idle = await processorShare(result.pid, idleSeconds);
  const after = await readHolding(dataDir);
  await result.stop();
  report(samples, before, after, idle);
} finally {
  if (values.data === undefined) {
    await rm(dataDir, { recursive: true, force: true });
  }
}

function report(samples: readonly Sample[], before: Holding, after: Holding, idle: number): void {
  console.log('\nMilliseconds from a request to the end of its response\n');
  const rows = works.flatMap((work) => {
    const some = samples.filter((sample) => sample.work === work);
    const times = some.map(({ ms }) => ms);
    return some.length === 0
      ? []
      : [
          [
            work,
            figure(some.length),
            statuses(some),
            figure(quantile(times, 0.5)),
            figure(quantile(times, 0.99)),
            figure(Math.max(...times)),
          ],
        ];
  });
  console.log(textTable(['', 'requests', 'statuses', 'p50', 'p99', 'worst'], rows));

  console.log('\nThe database, in MB\n');
  const megabytes = (bytes: number) => figure(bytes / 1_000_000, 1);
  const sizes: [what: string, of: (holding: Holding) => string][] = [
    ['file', ({ fileBytes }) => megabytes(fileBytes)],
    ['log of the file', ({ logBytes }) => megabytes(logBytes)],
    ['items', ({ itemBytes }) => megabytes(itemBytes)],
    ['number of items', ({ items }) => figure(items)],
    ['number of records of the stream', ({ records: count }) => figure(count)],
  ];
  console.log(
    textTable(
      ['', 'before', 'after'],
      sizes.map(([what, of]) => [what, of(before), of(after)]),
    ),
  );

  const [own, bare] = [false, true].map((isBare) =>
    samples.filter(({ work }) => (work === 'bare server') === isBare),
  );
  const free = own && bare && whileFree(own, bare);
  const worst = (some: readonly Sample[] = []) => some.reduce((most, { ms }) => Math.max(most, ms), 0);
  const failed = own?.filter(({ status }) => status === 0 || status >= 500).length ?? 0;
  conclude([
    promise('no request fails', `${figure(failed)} did`, failed === 0),
    promise(
      `no response takes more than ${budgets.soak.answer} ms`,
      `${figure(worst(own))} ms; while the machine was free, for ${figure(free?.length ?? 0)} of ${figure(own?.length ?? 0)} requests, ${figure(worst(free))} ms; of the bare server ${figure(worst(bare))} ms`,
      worst(own) <= budgets.soak.answer,
    ),
    promise(
      `idle, host and database take at most ${budgets.soak.idle} ms of a processor a second`,
      `${figure(idle, 1)} ms`,
      idle <= budgets.soak.idle,
    ),
  ]);
}

/** The samples of those periods of ten seconds in which the bare server was always quick, so that nothing else kept the machine busy. */
function whileFree(own: readonly Sample[], bare: readonly Sample[]): Sample[] {
  const tenOf = ({ second }: Sample) => Math.floor(second / 10);
  const busy = new Set(bare.filter(({ ms }) => ms > slowBareMilliseconds).map(tenOf));
  return own.filter((sample) => !busy.has(tenOf(sample)));
}

function statuses(samples: readonly Sample[]): string {
  const counts = Map.groupBy(samples, ({ status }) => status);
  return [...counts]
    .sort(([one], [other]) => one - other)
    .map(([status, some]) => `${status === 0 ? 'none' : status}: ${some.length}`)
    .join(', ');
}

function promise(text: string, measured: string, kept: boolean): Verdict {
  return { promise: text, measured, kept };
}
