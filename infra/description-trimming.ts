import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';

/** The files of operations; those of their models lie deeper. */
const operationFile = /[\\/]functions[\\/][\w-]+[\\/][\w-]+\.ts$/;

/** From the beginning of an operation to its description, and that, as the formatter lays it out. */
const description =
  /(^export default \w*[oO]peration\(\{\n(?:.*\n)*?) {2}description:.*\n(?: {4}.*\n| {2}\].*\n)*/m;

/** The types of nodes of workflows, which the catalogue describes. */
const nodeFile = /[\\/]functions[\\/]workflows[\\/]model[\\/]nodes[\\/][\w-]+\.ts$/;

/** The name of a type of node and its description, as the formatter lays them out. */
const nodeDescription = /^ {2}title: .*\n {2}description:.*\n(?: {4}.*\n)*/m;

/**
 * Removes what operations and types of nodes say about themselves from bundles: only documentation and catalogue need it, and those are
 * made beforehand.
 */
export function descriptionTrimming(): Plugin {
  return {
    name: 'description-trimming',
    setup({ onLoad }) {
      onLoad({ filter: operationFile }, async ({ path }) => ({
        contents: (await readFile(path, 'utf8')).replace(description, '$1'),
        loader: 'ts',
      }));
      onLoad({ filter: nodeFile }, async ({ path }) => ({
        contents: (await readFile(path, 'utf8')).replace(nodeDescription, ''),
        loader: 'ts',
      }));
    },
  };
}
