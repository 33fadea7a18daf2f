import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';

/** The files of operations; those of their models lie deeper. */
const operationFile = /[\\/]functions[\\/][\w-]+[\\/][\w-]+\.ts$/;

/** From the beginning of an operation to its description, and that, as the formatter lays it out. */
const description =
  /(^export default \w*[oO]peration\(\{\n(?:.*\n)*?) {2}description:.*\n(?: {4}.*\n| {2}\].*\n)*/m;

/** Removes what operations say about themselves from bundles: only the documentation needs it, and that is made beforehand. */
export function descriptionTrimming(): Plugin {
  return {
    name: 'description-trimming',
    setup({ onLoad }) {
      onLoad({ filter: operationFile }, async ({ path }) => ({
        contents: (await readFile(path, 'utf8')).replace(description, '$1'),
        loader: 'ts',
      }));
    },
  };
}
