import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { projectRoot } from '../../infra/project.ts';

interface Started {
  host: ChildProcess;
  /** Where it answers. */
  url: string;
}

/** Starts `npm run dev` without npm; resolves once it is ready. */
export function ready(dataDir: string, cwd = projectRoot): Promise<Started> {
  return started('infra/local/main.ts', cwd, { PORT: '0', DATA_DIR: dataDir });
}

/** Starts the server that the host is compared with. */
export function bareServer(): Promise<Started> {
  return started('test/bench/bare-server.ts', projectRoot, {});
}

async function started(file: string, cwd: string, environment: Record<string, string>): Promise<Started> {
  const host = spawn(process.execPath, [file], {
    cwd,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: host.stdout })) {
    const url = /^ready (\S+)$/.exec(line)?.[1];
    if (url !== undefined) {
      host.stdout.resume();
      return { host, url };
    }
  }
  throw new Error(`${file} ended before it was ready`);
}

export async function ended(host: ChildProcess): Promise<void> {
  host.kill('SIGTERM');
  await once(host, 'exit');
}
