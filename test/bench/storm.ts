// Whether eight expensive requests of one organization at a time delay the board of another.
import { budgets, type Verdict } from './budgets.ts';
import { median, quantile, timed } from './figures.ts';
import { HttpConnection, type HttpRequest } from './http-connection.ts';
import { figure, textTable } from './table.ts';

const atOnce = 8;
/** Rounds that are not counted: they start the workers. */
const warmingRounds = 5;

const board = { method: 'POST', path: '/api/contacts', body: { size: 20 } };
const letters = Array.from({ length: 10_000 }, (_, n) => ((n * n + (n >> 3)) % 7 < 3 ? 'a' : 'b')).join('');
/** Regular expressions with as many instructions as allowed, whose states double with each letter. */
const expressions = Array.from({ length: 9 }, (_, n) => `a[ab]{900}c${n}`);

/** What one organization sends at once while the other one reads its board. */
const storms: readonly (readonly [string, HttpRequest | undefined])[] = [
  ['alone', undefined],
  ['beside expressions that take long', { ...board, body: { customFilters: { long: expressions } } }],
  ['beside searches', { ...board, body: { search: 'needle' } }],
];

/** Contacts that each search of the first organization goes through. */
const contacts = 50;

/** Measures the board of one organization with and without the storms of the other, in turn. */
export async function measureStorms(
  url: string,
  { calm, stormy }: { readonly calm: string; readonly stormy: string },
  rounds: number,
): Promise<{ readonly table: string; readonly verdicts: readonly Verdict[] }> {
  const [own, ...others] = Array.from({ length: atOnce + 1 }, () => new HttpConnection(url)) as [
    HttpConnection,
    ...HttpConnection[],
  ];
  for (let n = 0; n < contacts; n += 1) {
    const body = { firstName: `Needle ${n}`, customFields: { long: letters } };
    await own.ask({ method: 'POST', path: '/api/contacts/create', token: stormy, body });
  }
  const waits = new Map<string, number[]>(storms.map(([name]) => [name, []]));
  for (let round = -warmingRounds; round < rounds; round += 1) {
    for (const [name, request] of storms) {
      const storm = request && others.map((one) => one.ask({ ...request, token: stormy }));
      const { ms, result } = await timed(() => own.ask({ ...board, token: calm }));
      if (result.status !== 200) {
        throw new Error(`The board returned ${result.status}`);
      }
      const answers = await Promise.all(storm ?? []);
      if (answers.some(({ status }) => status !== 200 && status !== 400)) {
        throw new Error(`A board ${name} returned ${answers.map(({ status }) => status).join()}`);
      }
      if (round >= 0) {
        waits.get(name)?.push(ms);
      }
    }
  }
  for (const connection of [own, ...others]) {
    connection.close();
  }
  const alone = median(waits.get('alone') ?? []);
  const table = textTable(
    ['board', 'p50', 'p90'],
    [...waits].map(([name, samples]) => [
      name,
      figure(median(samples), 1),
      figure(quantile(samples, 0.9), 1),
    ]),
  );
  const verdicts = [...waits].slice(1).map(([name, samples]) => ({
    promise: `a board ${name}, ${atOnce} at once, of another organization takes at most ${budgets.storm.waitRatio} times as long`,
    measured: `${figure(median(samples) / alone, 2)} times`,
    kept: median(samples) <= budgets.storm.waitRatio * alone,
  }));
  return { table, verdicts };
}
