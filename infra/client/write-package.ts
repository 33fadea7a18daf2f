// Runs before `npm pack`: writes the client and its types into the package.
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectRoot } from '../project.ts';
import { loadOperations } from '../registry.ts';
import { buildClient, buildDeclarations } from './build-client.ts';

const operations = await loadOperations();
const folder = join(import.meta.dirname, 'dist');
await mkdir(folder, { recursive: true });
await writeFile(join(folder, 'client.js'), await buildClient(operations));
await writeFile(join(folder, 'client.d.ts'), buildDeclarations(operations));
await copyFile(join(projectRoot, 'LICENSE'), join(folder, 'LICENSE'));
