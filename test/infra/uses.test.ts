import { expect, test } from 'vitest';
import { loadOperations } from '../../infra/registry.ts';

for (const { name, operation } of await loadOperations()) {
  // Names that are taken and not used are refused by the compiler: what the source names, it uses.
  const source = [operation.run, 'oversized' in operation ? operation.oversized : undefined].join('\n');
  test(`No port that ${name} never touches`, () => {
    const untouched = Object.keys(operation.uses).filter((port) => !new RegExp(`\\b${port}\\b`).test(source));
    expect(untouched).toEqual([]);
  });
}
