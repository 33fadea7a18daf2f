import type { FunctionPlan } from '../../function-plan.ts';

/** Whether a change of these files can change what is made of `entry`, going by what each file imports. */
export function isTouched(
  entry: string,
  changed: ReadonlySet<string>,
  imports: Readonly<Record<string, readonly string[]>>,
): boolean {
  const seen = new Set<string>();
  const next = [entry];
  for (let path = next.pop(); path !== undefined; path = next.pop()) {
    if (changed.has(path)) {
      return true;
    }
    if (seen.has(path)) {
      continue;
    }
    seen.add(path);
    next.push(...(imports[path] ?? []));
  }
  return false;
}

/** What only the functions' code and the documentation depend on, not the templates. */
const ofNoTemplate = new Set([
  'tag',
  'path',
  'query',
  'body',
  'output',
  'description',
  'example',
  'descriptions',
  'others',
]);

/** What the templates follow from, beside the code under `infra/`: the same text, the same templates. */
export function definitionOf(functions: readonly FunctionPlan[]): string {
  return JSON.stringify(
    functions.map(({ name, summary, operations }) => [
      name,
      summary,
      operations.map(({ folder, operation }) => [
        folder,
        // Functions leave no trace in JSON.
        Object.entries(operation).filter(([field]) => !ofNoTemplate.has(field)),
      ]),
    ]),
  );
}
