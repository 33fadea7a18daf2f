import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { projectRoot } from '../../../infra/project.ts';

/** The local host as a program of its own, as `npm run dev` starts it. */
export interface HostProcess {
  readonly url: string;
  readonly pid: number;
  /** The URL of its debugger, where one was asked for. */
  readonly inspector: string | undefined;
  stop(): Promise<void>;
}

/** Starts the local host over a data directory; resolves once it is ready. */
export async function startHostProcess(dataDir: string, isInspected = false): Promise<HostProcess> {
  const child = spawn(
    process.execPath,
    [...(isInspected ? ['--inspect=127.0.0.1:0'] : []), 'infra/local/main.ts'],
    {
      cwd: projectRoot,
      env: { ...process.env, PORT: '0', DATA_DIR: dataDir, SEED: 'none', LOG: 'json' },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const ended = once(child, 'exit');
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  const complaints: string[] = [];
  let inspector: string | undefined;
  createInterface({ input: child.stderr }).on('line', (line) => {
    inspector ??= /^Debugger listening on (ws:\S+)$/.exec(line)?.[1];
    complaints.push(line);
    complaints.splice(0, complaints.length - 20);
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /^ready (\S+)$/.exec(line)?.[1];
    if (url !== undefined) {
      child.stdout.resume(); // A full pipe would block the host.
      return { url, pid: child.pid ?? 0, inspector, stop };
    }
  }
  throw new Error(`The host ended before it was ready: ${complaints.join('\n')}`);
}
