import type { Plugin } from 'esbuild';

/**
 * Lets bundles take `node:http` and `node:https` as they come. Importing `node:http` as a module reads every property of it, and one of them
 * loads the HTTP client of `fetch`: 15 ms of every cold start. Source: https://github.com/nodejs/node/issues/59686.
 */
export function httpModules(): Plugin {
  return {
    name: 'http-modules',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^(node:)?https?$/ }, ({ path }) => ({ path, namespace: 'http-modules' }));
      onLoad({ filter: /.*/, namespace: 'http-modules' }, ({ path }) => ({
        contents: `module.exports = process.getBuiltinModule('${path}');`,
      }));
    },
  };
}
