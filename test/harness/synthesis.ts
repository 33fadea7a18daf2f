import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { projectRoot } from '../../infra/project.ts';

/** Synthesizes the product into `outdir`, as the CDK's command line does. Rejects with the output of the program. */
export async function synthesize(outdir: string): Promise<void> {
  const child = spawn(process.execPath, [join(projectRoot, 'infra/launch.mjs'), 'infra/app.ts'], {
    cwd: projectRoot,
    env: { ...process.env, BUILD_DIR: outdir, CDK_OUTDIR: outdir, CDK_VALIDATION: 'false' },
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  if (code !== 0) {
    throw new Error(`The product cannot be synthesized:\n${stderr.trim()}`);
  }
}
