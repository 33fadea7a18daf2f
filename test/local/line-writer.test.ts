import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { lineWriter } from '../../infra/local/line-writer.ts';

test('Lines of one turn of the event loop are written together, in their order', async () => {
  const written: string[] = [];
  const print = lineWriter((text) => written.push(text));
  print('one');
  print('two');
  expect(written).toEqual([]);
  await nextTurn();
  print('three');
  await nextTurn();
  expect(written).toEqual(['one\ntwo', 'three']);
});

test.each([
  ['is told to exit', 'process.exit(3)', 3],
  ['throws', "throw new Error('the end')", 1],
  ['rejects', "await Promise.reject(new Error('the end'))", 1],
])('The last lines of a process that %s are written', async (_how, code, exitCode) => {
  const module = new URL('../../infra/local/line-writer.ts', import.meta.url).href;
  const script = `import { lineWriter } from '${module}';
    const print = lineWriter(console.log);
    print('one');
    print('two');
    ${code};`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [said, [exit]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  expect([said, exit]).toEqual(['one\ntwo\n', exitCode]);
});
