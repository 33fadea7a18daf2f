import { dirname } from 'node:path';

/** The folder with `package.json`, whatever the working directory is. */
export const projectRoot = dirname(import.meta.dirname);

/** Whether a module is what was asked to run: by Node.js itself, or by the launcher, to which `import.meta.main` would be false. */
export function isProgram({ filename }: ImportMeta): boolean {
  return process.argv[1] === filename;
}
