import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';
import { bracketed, pastLiteral } from './source-scanning.ts';

/** The source files of functions. */
const productFile = /[\\/](functions|shared)[\\/].*\.ts$/;

/** The descriptive fields of operations and types of nodes, by the call that defines them. */
const trimmed: Readonly<Record<string, readonly string[]>> = {
  operation: ['description', 'descriptions', 'example'],
  nodeType: ['title', 'description'],
  tagsNode: ['title', 'description'],
};

/** A call that takes descriptions, from its beginning to its opening bracket. */
const call = /(?<![\w.]|function )(described|operation|nodeType|tagsNode)(?:<[^(]*>)?\(/y;

/**
 * Removes the descriptions of operations, fields and types of nodes from bundles: only the documentation and the catalogue of nodes need
 * them, and these are made beforehand.
 */
export function descriptionTrimming(): Plugin {
  return {
    name: 'description-trimming',
    setup({ onLoad }) {
      onLoad({ filter: productFile }, async ({ path }) => {
        const source = await readFile(path, 'utf8');
        return { contents: withoutDescriptions(source), loader: 'ts' };
      });
    },
  };
}

/** The source without descriptions; it behaves the same. */
export function withoutDescriptions(source: string): string {
  if (!/\b(described|operation|nodeType|tagsNode)\b/.test(source)) {
    return source;
  }
  let result = '';
  let kept = 0;
  let at = 0;
  while (at < source.length) {
    const past = pastLiteral(source, at);
    if (past !== undefined) {
      at = past;
      continue;
    }
    call.lastIndex = at;
    const found = call.exec(source);
    if (found === null) {
      at += 1;
      continue;
    }
    const open = call.lastIndex - 1;
    const { end, parts } = bracketed(source, open);
    const [first] = parts;
    const name = found[1] ?? '';
    if (first !== undefined) {
      const argument = source.slice(...first);
      // A call that is left with its schema alone does nothing, so the schema replaces it.
      const rest =
        name === 'described'
          ? `(${withoutDescriptions(argument)})`
          : callOf(source, at, open, argument, name);
      result += source.slice(kept, at) + rest;
      kept = end;
    }
    at = end;
  }
  return result + source.slice(kept);
}

/** The call of a definition without its descriptive fields. An argument that is no object literal stays as it is. */
function callOf(source: string, start: number, open: number, argument: string, name: string): string {
  const begin = argument.indexOf('{');
  const isObject = begin !== -1 && argument.slice(0, begin).trim() === '';
  const inner = isObject ? `{${withoutProperties(argument, begin, trimmed[name] ?? [])}}` : argument;
  return `${source.slice(start, open)}(${inner})`;
}

function withoutProperties(text: string, open: number, names: readonly string[]): string {
  const { parts } = bracketed(text, open);
  return parts
    .map((place) => text.slice(...place))
    .filter((part) => !names.includes(/^(?:\s|\/\*[\s\S]*?\*\/|\/\/.*\n)*(\w+):/.exec(part)?.[1] ?? ''))
    .map((part) => `${withoutDescriptions(part)},`)
    .join('');
}
