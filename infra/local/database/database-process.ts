import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import type { Address } from './blocked-port.ts';

/** A running process of the embedded database. */
export interface DatabaseProcess {
  /** Resolves when the process has ended, for whatever reason. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

/**
 * The shell prints the process id of the database and runs as long as its own input is open. Then it ends the database, even one that is
 * stopped. So the database never outlives this process, not even when this process is killed, and Ctrl-C in a terminal reaches it only
 * after the functions have finished.
 */
const lifeline =
  '"$0" "$@" </dev/null >/dev/null & echo $!; exec >/dev/null 2>&1; cat; kill $!; kill -CONT $!; wait';

/** A database that does not end on request is killed after this long. */
const stopMilliseconds = 1000;

/** Starts `binary` on `file`, or in memory without one. Resolves once it listens, or with what it printed before it ended. */
export async function runDatabase(
  binary: string,
  { host, port }: Address,
  file: string | undefined,
): Promise<DatabaseProcess | { problem: string }> {
  const location = file === undefined ? [] : ['--db-path', file];
  const command = [binary, 'serve', '--host', host, '-p', String(port), ...location];
  const shell = spawn('sh', ['-c', lifeline, ...command], { stdio: 'pipe', detached: true });
  const closed = new Promise<void>((resolve) => shell.once('close', () => resolve()));
  shell.stdin.on('error', () => undefined); // The shell was killed; `exit` follows.
  const lines: string[] = [];
  const output = createInterface({ input: shell.stderr });
  const ended = Promise.withResolvers<void>();
  let isEnding = false;
  const listening = new Promise<boolean>((resolve) => {
    output.on('line', (line) => {
      lines.push(line);
      if (line.includes('listening')) {
        resolve(true);
      }
    });
    // Only the database holds this pipe, so it closes when the database ends.
    output.on('close', () => {
      isEnding = true;
      resolve(false);
      ended.resolve();
      shell.stdin.end();
    });
  });
  const printed = await firstPrintedBy(shell);
  if (printed instanceof Error) {
    return { problem: printed.message };
  }
  if (printed === undefined) {
    // The shell may have started a database in its process group.
    kill(-(shell.pid ?? Number.NaN));
    await closed;
    return { problem: lines.join(' ') || 'Its shell ended at once.' };
  }
  const pid = Number(printed);
  // A killed shell leaves a database behind that nothing else would end.
  shell.once('exit', () => {
    if (!isEnding) {
      kill(pid);
    }
  });

  const stop = async () => {
    isEnding = true;
    shell.stdin.end();
    const timer = setTimeout(() => kill(pid), stopMilliseconds);
    await closed;
    clearTimeout(timer);
  };
  if (await listening) {
    return { ended: ended.promise, stop };
  }
  await stop();
  return { problem: lines.join(' ') || 'it ended before it took requests.' };
}

/** The first output of the shell; undefined when it ends without printing, an error when there is no shell, as on some Windows machines. */
function firstPrintedBy(
  shell: ChildProcessByStdio<Writable, Readable, Readable>,
): Promise<Buffer | Error | undefined> {
  return new Promise((resolve) => {
    shell.on('error', resolve);
    shell.stdout.once('data', resolve).once('end', () => resolve(undefined));
  });
}

/** Kills the process if it is still there; a negative id means a process group. */
function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}
