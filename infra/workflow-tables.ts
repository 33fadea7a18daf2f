// `npm run workflow-tables`: writes the tables of node types and events into functions/workflows/README.md.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isProgram, projectRoot } from './project.ts';
import { workflowNodeTypes } from './workflow-node-types.ts';

export const workflowPage = 'functions/workflows/README.md';

interface Catalogue {
  readonly nodeTypes: readonly {
    readonly type: string;
    readonly description: string;
    readonly schema: Schema;
    readonly ways: readonly string[];
    readonly waysFrom?: string;
  }[];
  readonly topics: readonly {
    readonly topic: string;
    readonly fields: readonly { readonly name: string }[];
  }[];
}

interface Schema {
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
  /** Fields of which one, or some, are required. */
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
}

/** The page with the tables of the catalogue, each between two comments that name it. */
export function withTables(page: string): string {
  const { nodeTypes, topics } = (workflowNodeTypes() as { readonly data: Catalogue }).data;
  const tables: Readonly<Record<string, readonly string[]>> = {
    'node types': [
      '| Type | `data` | Ways out | What it does |',
      '|---|---|---|---|',
      ...nodeTypes.map(
        ({ type, schema, ways, waysFrom, description }) =>
          `| \`${type}\` | ${fieldsOf(schema)} | ${waysOf(ways, waysFrom)} | ${inCell(description)} |`,
      ),
    ],
    events: [
      '| Event | Its fields, beside `contactId` and `at` |',
      '|---|---|',
      ...topics.map(({ topic, fields }) => {
        const names = fields.map(({ name }) => name).filter((name) => name !== 'contactId' && name !== 'at');
        return `| \`${topic}\` | ${codes(names)} |`;
      }),
    ],
  };
  return Object.entries(tables).reduce((text, [name, lines]) => {
    const [begin, end] = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`];
    const [before = '', rest = ''] = text.split(begin);
    const [, after = ''] = rest.split(end);
    return [before, begin, '\n\n', lines.join('\n'), '\n\n', end, after].join('');
  }, page);
}

/** The fields of a node: alternatives are joined by `or`, and optional fields have a question mark. */
function fieldsOf({ properties = {}, required = [], oneOf = [], anyOf = [] }: Schema): string {
  const alternatives = [...oneOf, ...anyOf].flatMap((schema) => schema.required ?? []);
  const others = Object.keys(properties).filter((name) => !alternatives.includes(name));
  return [
    ...others.filter((name) => required.includes(name)).map(code),
    ...(alternatives.length === 0 ? [] : [alternatives.map(code).join(' or ')]),
    ...others.filter((name) => !required.includes(name)).map((name) => code(`${name}?`)),
  ].join(', ');
}

function waysOf(ways: readonly string[], waysFrom: string | undefined): string {
  return [...(waysFrom === undefined ? [] : [`those in \`${waysFrom}\``]), ...ways.map(code)].join(', ');
}

const code = (text: string) => `\`${text}\``;
const codes = (texts: readonly string[]) => texts.map(code).join(', ');
const inCell = (text: string) => text.replaceAll('|', '\\|');

if (isProgram(import.meta)) {
  const file = join(projectRoot, workflowPage);
  await writeFile(file, withTables(await readFile(file, 'utf8')));
  console.log(`Wrote ${workflowPage}.`);
}
