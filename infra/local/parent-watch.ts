import { execFileSync } from 'node:child_process';

const lookMilliseconds = 250;

/**
 * Calls `onGone` when the `npm run` that started this process has ended, or the shell between the two: npm passes a signal to its shell
 * only, which ends without passing it on. A process that was started in another way may outlive its parent, and nothing happens.
 */
export function watchParents(onGone: () => void): void {
  if (process.env.npm_lifecycle_event === undefined || process.platform === 'win32') {
    return;
  }
  const shell = process.ppid;
  const npm = npmAbove(shell);
  const timer = setInterval(() => {
    if (process.ppid === shell && (npm === undefined || isAlive(npm))) {
      return;
    }
    clearInterval(timer);
    onGone();
  }, lookMilliseconds);
  timer.unref();
}

function npmAbove(pid: number): number | undefined {
  try {
    const parent = execFileSync('ps', ['-o', 'ppid=', '-p', String(pid)], { encoding: 'utf8' }).trim();
    const command = execFileSync('ps', ['-o', 'args=', '-p', parent], { encoding: 'utf8' });
    return /\bnpm\b/.test(command) ? Number(parent) : undefined;
  } catch {
    return undefined; // Without `ps`, only the shell is watched.
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
