import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { projectRoot } from '../../../infra/project.ts';
import type { Frame } from './profile.ts';

/** The local host starts its workers with a module that is the text of its URL. */
const worker = 'infra/local/workers/worker.ts';

/** Finds the file that a frame was written in, where it has run as a part of a bundle. */
export class Sources {
  readonly #maps = new Map<string, SourceMap | undefined>();

  /** A path from the project's root; `node:…` for a module of Node.js, as it is for other URLs, and empty for native code. */
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

/** What lies in a package is named from `node_modules/` on, wherever that lies. */
function fromRoot(path: string): string {
  const packages = path.lastIndexOf('node_modules/');
  return packages === -1 ? relative(root, path) : path.slice(packages);
}
