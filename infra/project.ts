import { dirname } from 'node:path';

/** The folder of `package.json`, whatever the working directory is. */
export const projectRoot = dirname(import.meta.dirname);

/**
 * Whether a module is the program that was started, by Node.js or by the launcher. (With the launcher, `import.meta.main` is false.)
 */
export function isProgram({ filename }: ImportMeta): boolean {
  return process.argv[1] === filename;
}
