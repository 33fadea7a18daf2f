import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/**
 * Synthesizes the product into `outdir`, in a process of its own: modules that have been loaded once stay as they
 * were, so this one could never see an edit. Rejects with what that process had to say.
 */
export async function synthesize(outdir: string, signal: AbortSignal): Promise<void> {
  const script = fileURLToPath(import.meta.url);
  const child = spawn(process.execPath, [script, outdir], {
    env: { ...process.env, CDK_VALIDATION: 'false' },
    stdio: ['ignore', 'inherit', 'pipe'],
    signal,
  });
  let complaints = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaints += text;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`The application cannot be synthesized:\n${complaints.trim()}`);
}

if (import.meta.main) {
  const [outdir] = process.argv.slice(2);
  const { buildApp } = await import('../../infra/app.ts');
  const app = await buildApp(outdir === undefined ? {} : { outdir });
  app.synth();
}
