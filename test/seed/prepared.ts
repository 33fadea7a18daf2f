import { type Prepared, prepare, usualPassword } from '../../infra/local/seed/seed.ts';

let prepared: Prepared | undefined;

/** The demo data, made once for all test files of a process: the operations that make them take seconds. */
export function preparedDemo(): Prepared {
  prepared ??= prepare({ demo: true, password: usualPassword });
  return prepared;
}
