import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

/** The folders with the sources of a build. */
const folders = ['functions', 'shared', 'infra'];

/** The host's own code, which runs builds and is not part of them. */
const host = join('infra', 'local');

/** Further sources: the versions of packages, and the settings of the templates. */
const filesOfRoot = ['package-lock.json', 'cdk.json'];

/** A hash of each file that a build depends on, by path from the project's root with `/`. */
export function hashesOfSources(root: string): Record<string, string> {
  const files = [...sourceFolders(root).flatMap(filesIn), ...filesOfRoot.map((name) => join(root, name))];
  return Object.fromEntries(
    files.map((file) => [relative(root, file).replaceAll(sep, '/'), hash('sha1', readFileSync(file))]),
  );
}

/** The paths that were added, changed or removed. */
export function changedPaths(former: Record<string, string>, current: Record<string, string>): string[] {
  const paths = new Set([...Object.keys(former), ...Object.keys(current)]);
  return [...paths].filter((path) => former[path] !== current[path]);
}

/** All folders with sources. */
export function sourceFolders(root: string): string[] {
  return folders
    .map((name) => join(root, name))
    .flatMap((folder) => [
      folder,
      ...readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map((entry) => join(entry.parentPath, entry.name)),
    ])
    .filter((folder) => !relative(root, folder).startsWith(host));
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(m?[jt]s|json|css|html)$/.test(entry.name))
    .map((entry) => join(folder, entry.name));
}
