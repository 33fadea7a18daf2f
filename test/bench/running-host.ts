import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { projectRoot } from '../../infra/project.ts';

/** Starts `npm run dev` without npm; resolves once it is ready. */
export async function ready(
  dataDir: string,
  cwd = projectRoot,
): Promise<{ host: ChildProcess; url: string }> {
  const host = spawn(process.execPath, ['infra/local/main.ts'], {
    cwd,
    env: { ...process.env, PORT: '0', DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: host.stdout })) {
    const url = /^ready (\S+)$/.exec(line)?.[1];
    if (url !== undefined) {
      host.stdout.resume();
      return { host, url };
    }
  }
  throw new Error('The host ended before it was ready');
}

export async function ended(host: ChildProcess): Promise<void> {
  host.kill('SIGTERM');
  await once(host, 'exit');
}
