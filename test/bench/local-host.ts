import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { projectRoot } from '../../infra/project.ts';
import packageJson from '../../package.json' with { type: 'json' };

/** A server in its own process. */
export interface StartedServer {
  /** Its base URL. */
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
  /** Ends it at once, in the middle of whatever it does. */
  kill(): Promise<void>;
}

interface StartOptions {
  readonly environment?: Readonly<Record<string, string>>;
  readonly nodeOptions?: readonly string[];
}

/** The command of `npm run dev` without the launcher, which is a process of its own where another Node.js is installed. */
const devCommand = (() => {
  const [, , , ...words] = packageJson.scripts.dev.split(' ');
  const file = words.pop() ?? '';
  const nodeOptions = words.filter((word) => word.startsWith('--'));
  const variables = words.filter((word) => !word.startsWith('--'));
  return { file, nodeOptions, environment: Object.fromEntries(variables.map((word) => word.split('='))) };
})();

/** Starts the local host on a data directory as `npm run dev` does; resolves once it is ready. */
export function startHost(dataDir: string, options: StartOptions = {}): Promise<StartedServer> {
  const environment = { PORT: '0', DATA_DIR: dataDir, ...options.environment };
  return started(devCommand.file, {
    ...options,
    nodeOptions: devCommand.nodeOptions,
    environment: { ...devCommand.environment, ...environment },
  });
}

/** Starts the server that the host is compared with. */
export function startBareServer(): Promise<StartedServer> {
  return started('test/bench/bare-server.ts');
}

async function started(
  file: string,
  { environment = {}, nodeOptions = [] }: StartOptions = {},
): Promise<StartedServer> {
  const child = spawn(process.execPath, [...nodeOptions, file], {
    cwd: projectRoot,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /^ready (\S+)$/.exec(line)?.[1];
    if (url !== undefined) {
      child.stdout.resume(); // A full pipe would block it.
      return {
        url,
        pid: child.pid ?? 0,
        async stop() {
          child.kill('SIGTERM');
          await ended;
        },
        async kill() {
          child.kill('SIGKILL');
          await ended;
        },
      };
    }
  }
  throw new Error(`${file} ended before it was ready`);
}
