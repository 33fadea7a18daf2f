import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadOperations } from '../../infra/registry.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'switchboard-registry-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function write(file: string, source: string): Promise<void> {
  await mkdir(join(folder, dirname(file)), { recursive: true });
  await writeFile(join(folder, file), source);
}

const at = (route: string) => `export default { kind: 'http', route: '${route}', uses: {} };`;

test('The registry lists each file by its name and its folder', async () => {
  await write('notes/write-note.ts', at('POST /api/notes'));
  await write('contacts/move-contact.ts', at('PUT /api/contacts/{id}/stage'));
  const found = await loadOperations(folder);
  expect(found.map(({ name, folder, operation }) => [name, folder, operation.kind])).toEqual([
    ['move-contact', 'contacts', 'http'],
    ['write-note', 'notes', 'http'],
  ]);
});

test('The registry names the file that is not an operation', async () => {
  await write('notes/note.ts', 'export const limit = 3;');
  await expect(loadOperations(folder)).rejects.toThrow(
    /notes\/note\.ts: the default export must be an operation/,
  );
});

test('The registry names the file whose name is not in kebab case, or lies too deep', async () => {
  await write('notes/writeNote.ts', at('POST /api/notes'));
  await expect(loadOperations(folder)).rejects.toThrow(
    /writeNote\.ts: an operation is a file functions\/<capability>/,
  );
  await rm(join(folder, 'notes'), { recursive: true });
  await write('notes/old/write-note.ts', at('POST /api/notes'));
  await expect(loadOperations(folder)).rejects.toThrow(
    /write-note\.ts: an operation is a file functions\/<capability>/,
  );
});

test('The registry names both files that have one name', async () => {
  await write('notes/read-it.ts', at('GET /api/notes'));
  await write('calls/read-it.ts', at('GET /api/calls'));
  await expect(loadOperations(folder)).rejects.toThrow(
    /notes\/read-it\.ts and .*calls\/read-it\.ts both have the name read-it/,
  );
});

test('The registry names both files that have one route, whatever they call its parameters', async () => {
  await write('notes/read-note.ts', at('GET /api/notes/{id}'));
  await write('notes/show-note.ts', at('GET /api/notes/{noteId}'));
  await expect(loadOperations(folder)).rejects.toThrow(/both have the route GET \/api\/notes\/\{\}/);
});
