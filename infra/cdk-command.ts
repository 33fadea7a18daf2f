import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { projectRoot } from './project.ts';

/** The options of a command line for `cdk` that our commands read, too. */
export function optionsIn(args: readonly string[]): { context: string[]; profile: string | undefined } {
  const { values } = parseArgs({
    args: [...args],
    options: { context: { type: 'string', short: 'c', multiple: true }, profile: { type: 'string' } },
    strict: false, // `cdk` has further options.
  });
  const { context = [], profile } = values;
  return {
    context: [context].flat().map(String),
    profile: typeof profile === 'string' ? profile : undefined,
  };
}

/** Runs `cdk` in this region, on this terminal. Resolves with its exit code. */
export async function runCdk(args: readonly string[], region: string): Promise<number> {
  const child = spawn(process.execPath, [join(projectRoot, 'infra/launch.mjs'), 'cdk', ...args], {
    stdio: 'inherit',
    env: { ...process.env, AWS_REGION: region },
  });
  const [code] = await once(child, 'exit');
  return code ?? 1;
}
