import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Linted {
  readonly totals: { readonly errors: number; readonly warnings: number };
  readonly problems: readonly { readonly message: string }[];
}

/** Lints an OpenAPI document in an empty folder, so that the rules apply as they are. */
export function lint(document: unknown, rules: 'recommended' | 'spec' = 'recommended'): Linted {
  const directory = mkdtempSync(join(tmpdir(), 'openapi-'));
  try {
    writeFileSync(join(directory, 'openapi.json'), JSON.stringify(document));
    const linter = createRequire(import.meta.url).resolve('@redocly/cli/bin/cli.js');
    const options = ['--format=json', `--extends=${rules}`];
    const { stdout } = spawnSync(process.execPath, [linter, 'lint', 'openapi.json', ...options], {
      cwd: directory,
      encoding: 'utf8',
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    });
    return JSON.parse(stdout);
  } finally {
    rmSync(directory, { recursive: true });
  }
}
