// `npm run house [-- <folder>]`: how this checkout of the project, or the one in another folder, keeps its rooms apart.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { projectRoot } from '../../infra/project.ts';
import { importsBelow } from './imports.ts';
import { arrowsBetweenRooms, filesBehindOperations, sharedFiles, usedByOne } from './rooms.ts';

/** No file should have more lines. */
const longest = 300;

/** No folder of the product should have more files: nobody finds a rule among them. */
const fullest = 32;

const root = process.argv[2] ?? projectRoot;
const imports = importsBelow(root, ['functions', 'shared']);

const tracked = execFileSync('git', ['ls-files', '*.ts', '*.mjs'], { cwd: root, encoding: 'utf8' });
const linesByFile = new Map(
  tracked
    .trim()
    .split('\n')
    .map((file) => [file, readFileSync(join(root, file), 'utf8').split('\n').length - 1]),
);

const linesOf = (files: Iterable<string>) =>
  Iterator.from(files).reduce((sum, file) => sum + (linesByFile.get(file) ?? 0), 0);

function say(what: string, figure: string, list: readonly string[] = []): void {
  console.log([`${what.padEnd(72)}${figure}`, ...list.map((line) => `    ${line}`)].join('\n'));
}

for (const folder of ['functions', 'shared', 'infra', 'infra/local', 'test']) {
  const files = [...linesByFile.keys()].filter((file) => file.startsWith(`${folder}/`));
  say(`Lines of ${folder}, .ts and .mjs`, String(linesOf(files)));
}

for (const [how, graph] of [
  ['types included', imports.all],
  ['at run time', imports.values],
] as const) {
  const [alone, all] = [usedByOne(graph), sharedFiles(graph)].map(linesOf) as [number, number];
  say(
    `Lines of shared/ that one capability alone reaches, ${how}`,
    `${((100 * alone) / all).toFixed()} % (${alone} of ${all})`,
  );
  const { all: arrows, upward } = arrowsBetweenRooms(graph);
  say(`Upward arrows between rooms of shared/, ${how}`, `${upward.length} of ${arrows}`, upward);
}

const behind = filesBehindOperations(imports);
say(
  'Files outside its own room behind an operation, on average',
  (behind.reduce((sum, [, files]) => sum + files, 0) / behind.length).toFixed(1),
  behind.slice(0, 5).map(([operation, files]) => `${files} ${operation}`),
);

const long = [...linesByFile].filter(([, lines]) => lines > longest);
say(
  `Files over ${longest} lines`,
  String(long.length),
  long.map(([file, lines]) => `${lines} ${file}`),
);

const byFolder = Map.groupBy(
  [...linesByFile.keys()].filter((file) => !file.startsWith('test/')),
  dirname,
);
const full = [...byFolder].filter(([, files]) => files.length > fullest);
say(
  `Folders with more than ${fullest} files, but for tests`,
  String(full.length),
  full.map(([folder, files]) => `${files.length} ${folder}`),
);
