import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { projectRoot } from '../../../infra/project.ts';
import type { Frame } from './profile.ts';

/** The module of the workers, which the local host starts from a `data:` URL. */
const worker = 'infra/local/workers/worker.ts';

/** Finds the source file of a frame that ran as a part of a bundle. */
export class Sources {
  readonly #maps = new Map<string, SourceMap | undefined>();

  /** The path from the project's root; `node:…` for a module of Node.js, the URL itself for any other one, and empty for native code. */
  of({ url, lineNumber, columnNumber }: Frame): string {
    if (url.startsWith('data:')) {
      return worker;
    }
    if (!url.startsWith('file:')) {
      return url;
    }
    const file = fileURLToPath(url);
    const source = this.#mapOf(file)?.findEntry(lineNumber, columnNumber);
    const path =
      source !== undefined && 'originalSource' in source && source.originalSource
        ? resolve(dirname(file), source.originalSource.replace(/^file:\/\//, ''))
        : file;
    return fromRoot(path);
  }

  #mapOf(file: string): SourceMap | undefined {
    if (!this.#maps.has(file)) {
      const map = `${file}.map`;
      this.#maps.set(
        file,
        existsSync(map) ? new SourceMap(JSON.parse(readFileSync(map, 'utf8'))) : undefined,
      );
    }
    return this.#maps.get(file);
  }
}

const root = realpathSync(projectRoot);

/** Paths of packages start at `node_modules/`, wherever that is. */
function fromRoot(path: string): string {
  const packages = path.lastIndexOf('node_modules/');
  return packages === -1 ? relative(root, path) : path.slice(packages);
}
