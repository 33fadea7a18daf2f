// `npm run keys`: writes the chart of all keys of the table into shared/table/keys.md.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Key, Space } from '../shared/table/key.ts';
import { isProgram, projectRoot } from './project.ts';

/** A key in the chart. */
export interface ChartedKey {
  /** The function that makes the key. */
  readonly name: string;
  /** The file of its record, from the project's root. */
  readonly file: string;
  readonly space: Space;
  /** The type of its record; undefined for native attributes. */
  readonly record: string | undefined;
  /** The parts; a variable one is `{name}`. */
  readonly partition: readonly string[];
  readonly sort: readonly string[];
}

export const chartFile = 'shared/table/keys.md';

/** Parameter types with a few alternative values, each of which makes another key. */
const alternatives: Readonly<Record<string, readonly (readonly string[])[]>> = {
  PersonalView: [['all'], ['user', '{userId}']],
  View: [['all'], ['user', '{userId}'], ['unassigned']],
  TemplateVisibility: [['shared'], ['user', '{userId}']],
  NotificationPartition: [['INCOMING'], ['OPENED']],
};

const declaration = /export const (\w+Key) = \((.*?)\): (Identity|Platform)?Key<(.+?)> =>/gs;

/** Every key of the product, from the files of the records. */
export async function chartKeys(): Promise<ChartedKey[]> {
  const files = await recordFiles();
  const charted = await Promise.all(files.map(chartedIn));
  return charted.flat().sort((a, b) => (lineOf(a) < lineOf(b) ? -1 : 1));
}

async function recordFiles(): Promise<string[]> {
  const roots = ['functions', 'shared'].map((name) => join(projectRoot, name));
  const found = await Promise.all(
    roots.map((root) => readdir(root, { recursive: true, withFileTypes: true })),
  );
  return found
    .flat()
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name));
}

async function chartedIn(path: string): Promise<ChartedKey[]> {
  const source = await readFile(path, 'utf8');
  const declared = [...source.matchAll(declaration)];
  if (declared.length === 0) {
    return [];
  }
  const module = (await import(pathToFileURL(path).href)) as Record<
    string,
    (...values: unknown[]) => Key<unknown>
  >;
  const file = relative(projectRoot, path).replaceAll(sep, '/');
  return declared.flatMap(([, name = '', parameters = '', space, type = '']) => {
    const record = type === 'never' ? undefined : type.replaceAll(/\s+/g, ' ');
    const common = { name, file, space: spaceOf(space), record };
    return shapesOf(parametersIn(parameters)).map((values) => {
      const { partition = [], sort = [] } = module[name]?.(...values) ?? {};
      return { ...common, partition: partition.map(String), sort: sort.map(String) };
    });
  });
}

const spaceOf = (prefix: string | undefined): Space =>
  prefix === 'Identity' ? 'identity' : prefix === 'Platform' ? 'platform' : 'organization';

interface Parameter {
  readonly name: string;
  readonly type: string;
}

/** The declared parameters. A destructured parameter has no name and needs none. */
function parametersIn(declared: string): Parameter[] {
  const flat = declared.replaceAll(/\{[^{}]*\}(?=\s*:)/g, 'record');
  return [...flat.matchAll(/(?:^|,)\s*(\w+)\s*\??\s*:\s*(\w*)/g)].map(([, name = '', type = '']) => ({
    name,
    type,
  }));
}

/** The lists of arguments for the parameters: one for each choice of alternatives. */
function shapesOf(parameters: readonly Parameter[]): unknown[][] {
  return parameters.reduce<unknown[][]>(
    (shapes, { name, type }) => {
      const choices: readonly unknown[] = alternatives[type] ?? [placeholder(name)];
      return shapes.flatMap((shape) => choices.map((choice) => [...shape, choice]));
    },
    [[]],
  );
}

/** An argument that becomes `{name}` as text, and whose properties become their own names. */
function placeholder(name: string): unknown {
  return new Proxy(() => undefined, {
    get: (_, property) => {
      if (property === Symbol.toPrimitive || property === 'toString') {
        return () => `{${name}}`;
      }
      if (property === Symbol.iterator) {
        return function* () {
          yield `{${name}}`;
        };
      }
      if (property === 'replace') {
        return () => placeholder(name);
      }
      return property === 'slice' ? () => `{${name}}` : placeholder(String(property));
    },
  });
}

/** The text by which the chart is sorted. */
function lineOf({ space, partition, sort }: ChartedKey): string {
  return [space, partition.join('#'), sort.join('#')].join(' ');
}

const spaces: Readonly<Record<Space, string>> = {
  organization: 'Of an organization: every partition begins with `ORG#{organizationId}`',
  identity: 'Across organizations: every partition begins with `IDENTITY`',
  platform: 'Shared by all organizations: every partition begins with `PLATFORM`',
};

/** The chart as a page. */
export function chartPage(keys: readonly ChartedKey[]): string {
  const tables = (Object.keys(spaces) as Space[]).map((space) => {
    const rows = keys
      .filter((key) => key.space === space)
      .map(
        ({ name, file, record, partition, sort }) =>
          `| ${code(partition)} | ${code(sort)} | ${record === undefined ? 'attributes' : `\`${record.replaceAll('|', '\\|')}\``} | [${name}](../../${file}) |`,
      );
    return [
      `## ${spaces[space]}`,
      '',
      '| Partition | Sort key | Record | Made by |',
      '|---|---|---|---|',
      ...rows,
    ].join('\n');
  });
  return [
    '# Every key of the table',
    'Made by `npm run keys` from the functions that make keys, each beside its record. Parts are joined by `#`. A record without a type of its own has attributes alone: counters and flags.',
    ...tables,
    '',
  ]
    .join('\n\n')
    .replace(/\n+$/, '\n');
}

const code = (parts: readonly string[]) => (parts.length === 0 ? 'itself' : `\`${parts.join('#')}\``);

if (isProgram(import.meta)) {
  await writeFile(join(projectRoot, chartFile), chartPage(await chartKeys()));
  console.log(`Wrote ${chartFile}.`);
}
