import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { agentTools } from '../../infra/openapi/agent-tools.ts';
import { projectRoot } from '../../infra/project.ts';
import { loadOperations } from '../../infra/registry.ts';
import { published } from '../harness/published.ts';
import { setUpLiveHost } from '../live/fixtures.ts';

const host = await setUpLiveHost();
const { document } = published;
const read = async (path: string) => {
  const response = await fetch(`${host.url}${path}`);
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
};
const index = await read('/llms.txt');
const whole = await read('/api/docs.md');
const chapter = await readFile(join(projectRoot, 'functions/agents/README.md'), 'utf8');

test('/llms.txt has a title, a summary and a line with a link for every group', () => {
  expect([index.status, index.type]).toEqual([200, 'text/plain; charset=utf-8']);
  expect(index.text).toMatch(/^# Switchboard\n\n> [A-Z].*\.\n\n/);
  const named = [...index.text.matchAll(/^- \[([^\]]+)\]\(\/api\/docs\.md\?group=[a-z-]+\): [A-Z]/gm)];
  expect(named.map(([, name]) => name)).toEqual(document.tags.map(({ name }) => name));
});

test('/api/docs.md has the introduction, and every operation with its description in its group', () => {
  expect([whole.status, whole.type]).toEqual([200, 'text/markdown; charset=utf-8']);
  expect(whole.text).toContain('\n## Authentication\n');
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, { summary }] of Object.entries(methods)) {
      expect(whole.text).toContain(`\n## ${summary}\n\n\`${method.toUpperCase()} ${path}\`\n`);
    }
  }
});

test('A group alone is what all of the documentation has of it', async () => {
  const { status, text } = await read('/api/docs.md?group=contact-notes');
  expect(status).toBe(200);
  expect(text).toMatch(/^# Contact Notes\n/);
  expect(whole.text).toContain(text.trim());
  expect(text).toContain('`POST /api/contact-notes`');
  expect(text).not.toContain('`POST /api/contacts`\n');
  expect(text).toContain('- `contactId` (string, required): The contact the note is about.');
});

test('A group that there is not is a 400 that names those that there are', async () => {
  const { status, text } = await read('/api/docs.md?group=cooking');
  expect(status).toBe(400);
  expect(JSON.parse(text).message).toMatch(
    /^No group has this name\. There are auth, contacts, .* and system\.$/,
  );
});

test('Every link in the text leads to something that is there', async () => {
  const links = [index, whole].flatMap(({ text }) =>
    [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, to]) => to ?? ''),
  );
  const inner = [...new Set(links)].filter((to) => !to.startsWith('https://'));
  expect(inner.length).toBeGreaterThan(20);
  for (const link of inner) {
    expect({ link, status: (await read(link)).status }).toEqual({ link, status: 200 });
  }
});

test('The chapter about agents names every tool once, and no other', async () => {
  const [, table = ''] = /^\| For \| Tools \|\n(.*?)\n\n/ms.exec(chapter) ?? [];
  const named = [...table.matchAll(/`(\w+)`/g)].map(([, name]) => name);
  expect(named.toSorted()).toEqual(
    agentTools(await loadOperations())
      .map(({ name }) => name)
      .sort(),
  );
});

test('The program in the chapter about agents finds contacts as printed', async () => {
  const admin = await host.newOrganization();
  const { key } = await host.call('POST /api/api-keys', admin, { name: 'Agent', access: 'read' });
  const [, program = ''] = /^```js\n(.*?)^```$/ms.exec(chapter) ?? [];
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: join(projectRoot, 'test'),
    env: { ...process.env, BASE: host.url, KEY: key },
  });
  expect(stdout).toContain('New');
});
