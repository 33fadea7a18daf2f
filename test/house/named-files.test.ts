import { globSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { expect, test } from 'vitest';
import { projectRoot } from '../../infra/project.ts';

const files = globSync(['*.{md,mjs,ts}', '{functions,infra,shared,test}/**/*.{md,mjs,ts}'], {
  cwd: projectRoot,
  exclude: ['**/node_modules'],
}).map((file) => file.replaceAll(sep, '/'));

/** A file in backticks, such as `stage-guard.ts`, by the end of its path or by all of it. */
const named = /`((?:[\w.-]+\/)*[\w.-]+\.(?:ts|mjs))`/g;

/** The operation that README.md has its readers add. */
const added = ['functions/contacts/read-contact-name.ts', 'test/operations/read-contact-name.ts'];

/** The prose of a file: a whole page, or the comments of a source. */
function proseOf(file: string): string {
  const text = readFileSync(join(projectRoot, file), 'utf8');
  return file.endsWith('.md') ? text : (text.match(/^\s*(?:\/?\*|\/\/).*$/gm) ?? []).join('\n');
}

/** Files that a text names and that are not among these. */
function missing(text: string, paths: readonly string[]): string[] {
  return [...text.matchAll(named)]
    .map(([, path = '']) => path)
    .filter((path) => !paths.some((one) => one === path || one.endsWith(`/${path}`)));
}

test('Every source file that a page or a comment names is there', () => {
  const said = files.filter((file) => !file.startsWith('test/clients/'));
  const problems = said.flatMap((file) =>
    missing(proseOf(file), [...files, ...added]).map((path) => `${file} names ${path}`),
  );
  expect(problems).toEqual([]);
});

test('A source file that a page names and that is elsewhere would be found', () => {
  const paths = ['shared/contact-aggregate/stage-guard.ts'];
  expect(missing('See `stage-guard.ts` and `shared/contact-aggregate/stage-guard.ts`.', paths)).toEqual([]);
  expect(missing('See `shared/stage-guard.ts` and `guard.ts`.', paths)).toEqual([
    'shared/stage-guard.ts',
    'guard.ts',
  ]);
});
