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
  /** The URL of its debugger, if it was started with one. */
  readonly inspector: string | undefined;
  stop(): Promise<void>;
}

interface StartOptions {
  /** The folder of the sources: this project unless stated. */
  readonly folder?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly isInspected?: boolean;
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
  { folder = projectRoot, environment = {}, isInspected = false, nodeOptions = [] }: StartOptions = {},
): Promise<StartedServer> {
  const inspect = isInspected ? ['--inspect=127.0.0.1:0'] : [];
  const child = spawn(process.execPath, [...nodeOptions, ...inspect, file], {
    cwd: folder,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit');
  let inspector: string | undefined;
  createInterface({ input: child.stderr }).on('line', (line) => {
    inspector ??= /^Debugger listening on (ws:\S+)$/.exec(line)?.[1];
    if (!debuggerLine.test(line)) {
      console.error(line);
    }
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /^ready (\S+)$/.exec(line)?.[1];
    if (url !== undefined) {
      child.stdout.resume(); // A full pipe would block it.
      return {
        url,
        pid: child.pid ?? 0,
        inspector,
        async stop() {
          child.kill('SIGTERM');
          await ended;
        },
      };
    }
  }
  throw new Error(`${file} ended before it was ready`);
}

/** What Node.js says about its debugger. */
const debuggerLine = /^(Debugger |For help, see: )/;
