import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { projectRoot } from '../../infra/project.ts';
import { figures } from './figures.ts';
import { type Imports, importsBelow, reachedFrom } from './imports.ts';
import { arrowsBetweenRooms, usedByOne } from './rooms.ts';

const imports = importsBelow(projectRoot, ['functions', 'shared']);

/** Whether one folder holds the other: a folder and its own parts are one room. */
const isSameRoom = (one: string, other: string) =>
  one === other || one.startsWith(`${other}/`) || other.startsWith(`${one}/`);

/** For each folder, the other folders that its files import at run time. */
function foldersByFolder({ values }: Imports): Map<string, string[]> {
  const folders = new Map<string, string[]>();
  for (const [file, imported] of values) {
    const folder = dirname(file);
    const others = imported.map((path) => dirname(path)).filter((other) => !isSameRoom(folder, other));
    folders.set(folder, [...new Set([...(folders.get(folder) ?? []), ...others])]);
  }
  return folders;
}

/** Folders that import themselves by way of others. */
function foldersInCycles(read: Imports): string[] {
  const folders = foldersByFolder(read);
  return [...folders.keys()].filter((folder) => reachedFrom(folder, folders).has(folder));
}

const withImport = (file: string, path: string): Imports => ({
  all: new Map(imports.all).set(file, [...(imports.all.get(file) ?? []), path]),
  values: new Map(imports.values).set(file, [...(imports.values.get(file) ?? []), path]),
});

test('The project has no more to read than its budgets allow', () => {
  const over = figures(projectRoot).filter(({ value, most = Number.POSITIVE_INFINITY }) => !(value <= most));
  expect(over).toEqual([]);
});

describe('The folder shared/', () => {
  test('What lies in shared/ is used by two capabilities, or is kernel, table or port', () => {
    expect(usedByOne(imports.all)).toEqual([]);
  });

  test('What one capability alone used would be found in shared/', () => {
    const alone = withImport('functions/calls/model/start-call.ts', 'shared/calls/added.ts');
    const added = new Map(alone.all).set('shared/calls/added.ts', []);
    expect(usedByOne(added)).toEqual(['shared/calls/added.ts']);
  });
});

describe('The folder model/ of a capability', () => {
  const foreignImports = ({ all }: Imports) =>
    [...all].flatMap(([file, imported]) =>
      imported
        .filter((path) => path.startsWith('functions/') && path.split('/')[1] !== file.split('/')[1])
        .map((path) => `${file} imports ${path}`),
    );

  test('What lies in the model of a capability is used by that capability alone', () => {
    expect(foreignImports(imports)).toEqual([]);
  });

  test('A model that another capability used would be found', () => {
    const read = withImport('functions/calls/end-call.ts', 'functions/contacts/model/changed-fields.ts');
    expect(foreignImports(read)).toEqual([
      'functions/calls/end-call.ts imports functions/contacts/model/changed-fields.ts',
    ]);
  });
});

describe('Machines with one door', () => {
  /** The files of each machine, and those of them that others may import. */
  const machines = [
    {
      files: 'shared/column-index/',
      doors: [
        'search-columns.ts',
        'ordered-matches.ts',
        'query.ts',
        'text-search.ts',
        'cached-index.ts',
        'indexed-contact.ts',
        'apply-changes.ts',
        'compaction.ts',
        'request-compactions.ts',
      ],
    },
    { files: 'functions/workflows/model/execution/', doors: ['engine.ts'] },
    { files: 'functions/workflows/model/simulation/', doors: ['simulate.ts', 'simulation-response.ts'] },
  ];
  /** The types of nodes, which are reached by their catalogue. */
  const nodes = /^functions\/workflows\/model\/definition\/\w+-nodes\.ts$/;
  const readers = /^functions\/workflows\/model\/(?:definition|execution)\//;

  const importsPastDoors = ({ all }: Imports) =>
    [...all].flatMap(([file, imported]) =>
      imported
        .filter(
          (path) =>
            machines.some(
              ({ files, doors }) =>
                path.startsWith(files) &&
                !file.startsWith(files) &&
                !doors.includes(path.slice(files.length)),
            ) ||
            (nodes.test(path) && !readers.test(file)),
        )
        .map((path) => `${file} imports ${path}`),
    );

  test('Nobody imports a file of a machine past its door', () => {
    expect(importsPastDoors(imports)).toEqual([]);
  });

  test('An import past a door would be found', () => {
    const path = 'functions/workflows/model/execution/joins.ts';
    const read = withImport('functions/workflows/cancel-workflow-run.ts', path);
    expect(importsPastDoors(read)).toEqual([`functions/workflows/cancel-workflow-run.ts imports ${path}`]);
  });
});

describe('Imports between folders', () => {
  test('Folders import each other at run time in one direction only', () => {
    expect(foldersInCycles(imports)).toEqual([]);
  });

  test('Folders that import each other in a cycle would be found', () => {
    const read = withImport('shared/contacts/stages.ts', 'shared/contact-aggregate/card.ts');
    expect(foldersInCycles(read)).toEqual(
      expect.arrayContaining(['shared/contacts', 'shared/contact-aggregate']),
    );
  });
});

test('An arrow between rooms leads upward only where rooms import each other in a circle', () => {
  const rooms = (more: readonly string[]) =>
    new Map([
      ['shared/top/one.ts', ['shared/middle/one.ts', 'shared/top/two.ts', 'shared/low.ts']],
      ['shared/top/two.ts', ['shared/middle/two.ts']],
      ['shared/middle/one.ts', ['shared/low.ts']],
      ['shared/low.ts', more],
    ]);
  expect(arrowsBetweenRooms(rooms([]))).toEqual({ all: 3, upward: [] });
  expect(arrowsBetweenRooms(rooms(['shared/top/two.ts']))).toEqual({
    all: 4,
    upward: ['shared/low.ts → shared/top'],
  });
});

/** The files of `test/` that test files import. */
const sharedModules = readdirSync(join(projectRoot, 'test'), { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.includes('node_modules'),
);

describe('Hooks of the tests', () => {
  // Test files share one process and its modules: a hook at the top of a shared module would run for the first file alone.
  const hook = /^(?:before|after)(?:All|Each)\(/m;

  test('A hook of the tests stands in a test file, or in a function that test files call', () => {
    expect(sharedModules.length).toBeGreaterThan(0);
    expect(
      sharedModules.filter((file) => hook.test(readFileSync(join(projectRoot, 'test', file), 'utf8'))),
    ).toEqual([]);
  });

  test('A hook at the top of a shared module would be found', () => {
    expect(hook.test("import { afterAll } from 'vitest';\nafterAll(() => undefined);\n")).toBe(true);
  });
});

describe('Names', () => {
  const verbs =
    `accept acquire act add advance announce apply attach build bundle call can cancel change chart claim clear close commit compact
    compose copy count create delete deliver deploy discard dispatch do download drop end enqueue erase explain fail find fire flush follow forEach
    give grant hand has index is issue keep limit link list listen load lock look manage mark mention meter notify open package pause perform post
    postpone prefetch prepare presign pretend preview provide publish put quarantine queue race read receive record redrive refuse replay request
    require reserve resolve respond resume retry reveal rewrite rotate run schedule seal search seed send serve sign simulate spread start state
    stop store sweep take verify wake withhold write`.split(/\s+/);
  const beginsWithVerb = new RegExp(`^(?:${verbs.join('|')})(?![a-z])`);
  const exported = /^export (async )?(?:function\*?|const|class) (\w+)/gm;

  /** The exported names of a source text: those that end in `Of`, and those of asynchronous functions without a verb in front. */
  const wrongNames = (source: string) =>
    [...source.matchAll(exported)].flatMap(([, isAsync, name = '']) =>
      name.endsWith('Of') || (isAsync !== undefined && !beginsWithVerb.test(name)) ? [name] : [],
    );

  const namesIn = (file: string) =>
    [...readFileSync(join(projectRoot, 'test', file), 'utf8').matchAll(exported)].map(
      ([, , name = '']) => name,
    );

  test('An asynchronous function that is exported begins with a verb, and no exported name ends in Of', () => {
    const wrong = [...importsBelow(projectRoot, ['functions', 'infra', 'shared']).all.keys()].flatMap(
      (file) =>
        wrongNames(readFileSync(join(projectRoot, file), 'utf8')).map((name) => `${file} exports ${name}`),
    );
    expect(wrong).toEqual([]);
    const tests = sharedModules.flatMap((file) => namesIn(file));
    expect(tests.filter((name) => name.endsWith('Of'))).toEqual([]);
  });

  test('A name without its verb, and one that ends in Of, would be found', () => {
    const source =
      'export async function ownerOfCall() {}\nexport const keyOf = () => [];\nexport function moved() {}\n';
    expect(wrongNames(source)).toEqual(['ownerOfCall', 'keyOf']);
  });
});
