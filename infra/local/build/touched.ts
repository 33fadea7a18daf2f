import type { FunctionPlan } from '../../function-plan.ts';

/** Whether a change of these files can change the output of `entry`, going by the imports of each file. */
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

/** The fields of an operation that change code and documentation but no template. */
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

/** The part of the operations that the templates need, as text: the same text gives the same templates. */
export function functionsDefinition(functions: readonly FunctionPlan[]): string {
  return JSON.stringify(
    functions.map(({ name, summary, operations }) => [
      name,
      summary,
      operations.map(({ folder, operation }) => [
        folder,
        // JSON leaves functions out.
        Object.entries(operation).filter(([field]) => !ofNoTemplate.has(field)),
      ]),
    ]),
  );
}
