// node generate.mjs <generator> <document> <folder>: generates a client as its generator does by itself.
import { writeFile } from 'node:fs/promises';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

// Generators call the compiler of TypeScript 5, which this folder has: later versions have none to call.
registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier, specifier === 'typescript' ? { ...context, parentURL: import.meta.url } : context),
});

const generators = {
  async 'openapi-typescript'(document, folder) {
    const { default: openapiTS, astToString } = await import('openapi-typescript');
    await writeFile(join(folder, 'schema.ts'), astToString(await openapiTS(pathToFileURL(document))));
  },
  async 'hey-api'(document, folder) {
    const { createClient } = await import('@hey-api/openapi-ts');
    await createClient({ input: document, output: join(folder, 'hey-api'), logs: { level: 'silent' } });
  },
  async orval(document, folder) {
    const { generate } = await import('orval');
    const output = { target: join(folder, 'orval/client.ts'), client: 'fetch' };
    await generate({ input: document, output }, folder, { throwOnError: true });
  },
};

const [generator, document, folder] = process.argv.slice(2);
await generators[generator](document, folder);
