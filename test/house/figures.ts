import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { importsBelow } from './imports.ts';
import { arrowsBetweenRooms, filesBehindOperations, sharedFiles, usedByOne } from './rooms.ts';

/** A figure of a checkout, with what makes it up. */
export interface Figure {
  readonly what: string;
  readonly value: number;
  /** What it may be at most; whoever exceeds it says why in the commit that raises it. */
  readonly most?: number;
  readonly list?: readonly string[];
}

/** Lines of each room, TypeScript and programs. */
const linesOfRooms = {
  functions: 44_100,
  shared: 29_100,
  infra: 18_400,
  'infra/local': 8_400,
  test: 93_500,
} as const;

/** No file should have more lines. */
const longest = 300;

/** No folder of the product should have more files, because nobody finds a rule among them. */
const fullest = 32;

/** Measures the checkout in a folder. */
export function figures(root: string): Figure[] {
  const imports = importsBelow(root, ['functions', 'shared']);
  const lines = readLines(root);
  const linesOf = (files: Iterable<string>) =>
    Iterator.from(files).reduce((sum, file) => sum + (lines.get(file) ?? 0), 0);
  const behind = filesBehindOperations(imports);
  const long = [...lines].filter(([, count]) => count > longest);
  const product = [...lines.keys()].filter((file) => !file.startsWith('test/'));
  const full = [...Map.groupBy(product, dirname)].filter(([, files]) => files.length > fullest);
  return [
    ...Object.entries(linesOfRooms).map(([room, most]) => ({
      what: `Lines of ${room}`,
      value: linesOf([...lines.keys()].filter((file) => file.startsWith(`${room}/`))),
      most,
    })),
    {
      what: 'Files behind an operation, on average',
      value: Math.round(behind.reduce((sum, [, files]) => sum + files, 0) / behind.length),
      most: 25,
      list: behind.slice(0, 5).map(([operation, files]) => `${files} ${operation}`),
    },
    ...Object.entries({ 'contacts/list-contacts-by-stage': 50, 'workflows/create-workflow': 60 }).map(
      ([operation, most]) => ({
        what: `Files behind ${operation}`,
        value: behind.find(([file]) => file === `functions/${operation}.ts`)?.[1] ?? Number.NaN,
        most,
      }),
    ),
    {
      what: 'Folders in shared/',
      value: new Set([...imports.all.keys()].filter((file) => file.startsWith('shared/')).map(roomOf)).size,
      most: 16,
    },
    ...(['all', 'values'] as const).map((kind) => {
      const { upward } = arrowsBetweenRooms(imports[kind]);
      const when = kind === 'all' ? 'types included' : 'at run time';
      return {
        what: `Upward arrows between rooms of shared/, ${when}`,
        value: upward.length,
        most: 3,
        list: upward,
      };
    }),
    {
      what: 'Lines of shared/ that one capability alone reaches at run time',
      value: linesOf(usedByOne(imports.values)),
      list: [`of ${linesOf(sharedFiles(imports.values))}`],
    },
    {
      what: `Files over ${longest} lines`,
      value: long.length,
      list: long.map(([file, count]) => `${count} ${file}`),
    },
    {
      what: `Folders with more than ${fullest} files, but for tests`,
      value: full.length,
      list: full.map(([folder, files]) => `${files.length} ${folder}`),
    },
  ];
}

const roomOf = (file: string) => file.split('/').slice(0, 2).join('/');

function readLines(root: string): Map<string, number> {
  const tracked = execFileSync('git', ['ls-files', '*.ts', '*.mjs'], { cwd: root, encoding: 'utf8' });
  const files = tracked.trim().split('\n');
  return new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8').split('\n').length - 1]));
}
