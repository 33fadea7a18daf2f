import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { transform } from 'esbuild';
import { expect, test } from 'vitest';
import { withoutDescriptions } from '../../infra/bundle/description-trimming.ts';
import { bracketed } from '../../infra/bundle/source-scanning.ts';
import { projectRoot } from '../../infra/project.ts';

const compact = async (source: string) =>
  (await transform(source, { loader: 'ts', minifyWhitespace: true })).code.trim();

test.each([
  ['described(z.object({ a }), { a: "It, (all)" }, { id: "A" })', '(z.object({a}));'],
  ['described(z.array(described(B, { b: `c, )` })), {})', '(z.array((B)));'],
  [
    'operation({ route: "GET /", description: ["a, b"].join("}"), /* why */ descriptions: { a: "b" }, uses: { table } })',
    'operation({route:"GET /",uses:{table}});',
  ],
  ['nodeType<Data, Extra>({ type: "stop", title: "Stop", decide })', 'nodeType({type:"stop",decide});'],
  ['nodeType({ description: "a", schema: described(A, { b: "c" }) })', 'nodeType({schema:A});'],
  ['const text = "described(a, b)"; // described(a, b)', 'const text="described(a, b)";'],
  ['one.operation({ description: "a" })', 'one.operation({description:"a"});'],
  ['operation(given)', 'operation(given);'],
])('Without what it says about itself, %s is shorter and does the same', async (source, wanted) => {
  expect(await compact(withoutDescriptions(source))).toBe(await compact(wanted));
});

test('A scan knows where strings, templates, comments and regular expressions end', () => {
  const source = "(a, ')', `b(',')},`, /[/,)]\\//, c / d / (e, f), /* , */ g) + rest";
  const { parts, end } = bracketed(source, 0);
  expect(parts.map((place) => source.slice(...place).trim())).toEqual([
    ...['a', "')'", "`b(',')},`", '/[/,)]\\//', 'c / d / (e, f)', '/* , */ g'],
  ]);
  expect(source.slice(end)).toBe(' + rest');
  expect(() => bracketed('(a]', 0)).toThrow('do not match');
});

test('Every file of the product can be read without its descriptions, and none of them is left', async () => {
  for (const root of ['functions', 'shared']) {
    const files = await readdir(join(projectRoot, root), { recursive: true });
    for (const file of files.filter((name) => name.endsWith('.ts'))) {
      const source = await readFile(join(projectRoot, root, file), 'utf8');
      const trimmed = withoutDescriptions(source);
      await expect(transform(trimmed, { loader: 'ts' }), file).resolves.toBeDefined();
      expect(withoutDescriptions(trimmed).replaceAll(/\s/g, ''), file).toBe(trimmed.replaceAll(/\s/g, ''));
    }
  }
});
