import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type ChartedKey, chartFile, chartKeys, chartPage } from '../../infra/key-chart.ts';
import { projectRoot } from '../../infra/project.ts';
import { importsBelow } from '../house/imports.ts';

const keys = await chartKeys();

const isVariable = (part: string) => part.startsWith('{');

/** Whether some values make the parts equal. What varies is an id, a time or a number, and never one of the fixed words. */
function canBeEqual(one: readonly string[], other: readonly string[]): boolean {
  return (
    one.length === other.length &&
    one.every((part, index) => {
      const against = other[index] ?? '';
      return isVariable(part) === isVariable(against) && (isVariable(part) || part === against);
    })
  );
}

function collide(key: ChartedKey, other: ChartedKey): boolean {
  return (
    key.space === other.space &&
    canBeEqual(key.partition, other.partition) &&
    canBeEqual(key.sort, other.sort)
  );
}

/** Pairs of functions that could make the same key. */
function collisions(all: readonly ChartedKey[]): string[][] {
  return all.flatMap((key, index) =>
    all
      .slice(index + 1)
      .filter((other) => other.name !== key.name && collide(key, other))
      .map((other) => [key.name, other.name].sort()),
  );
}

/** Every place under `functions/` and `shared/` that writes the parts of a partition down: its file and what it declares. */
async function keyMakers(): Promise<string[]> {
  const makers = await Promise.all(
    [...importsBelow(projectRoot, ['functions', 'shared']).all.keys()].map(async (file) => {
      const source = await readFile(join(projectRoot, file), 'utf8');
      const declarations = [...source.matchAll(/^(?:export )?(?:const|function|async function) (\w+)/gm)];
      return [...source.matchAll(/\bpartition: \[/g)].map(({ index }) => {
        const declared = declarations.findLast((declaration) => declaration.index < index)?.[1];
        return `${file} ${declared ?? 'nothing'}`;
      });
    }),
  );
  return makers.flat();
}

test('The keys of the table are charted, every one that a record has', () => {
  expect(keys.length).toBeGreaterThan(50);
  expect(keys.filter(({ sort }) => sort.length === 0)).toEqual([]);
  expect(keys.flatMap(({ partition, sort }) => [...partition, ...sort]).join()).not.toMatch(
    /undefined|\[object/,
  );
});

test('The keys of the table cannot collide: no two functions make the same key', () => {
  expect(collisions(keys)).toEqual([]);
});

test('The keys of the table are made nowhere else', async () => {
  const charted = new Set(keys.map(({ file, name }) => `${file} ${name}`));
  expect(await keyMakers()).toEqual(expect.arrayContaining([...charted]));
  const others = (await keyMakers()).filter((maker) => !charted.has(maker) && !/Range$/.test(maker));
  expect(others).toEqual([]);
});

test('A new key that collides with others of the table is found', () => {
  const added: ChartedKey = {
    name: 'addedKey',
    file: 'added.ts',
    space: 'organization',
    record: 'Added',
    partition: ['CONTACT', '{id}'],
    sort: ['NOTE', '{number}'],
  };
  expect(collisions([...keys, added])).toContainEqual(['addedKey', 'noteKey']);
  expect(collisions([...keys, { ...added, space: 'platform' }])).toEqual([]);
});

test('The keys of the table are shown in the chart as they are; otherwise run `npm run keys`', async () => {
  expect(await readFile(join(projectRoot, chartFile), 'utf8')).toBe(chartPage(keys));
});
