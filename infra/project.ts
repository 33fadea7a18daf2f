import { dirname } from 'node:path';

/** The folder with `package.json`, whatever the working directory is. */
export const projectRoot = dirname(import.meta.dirname);
