import type { Template } from './synthesized.ts';

/** The resources that each resource of a template refers to: they are deployed before it. */
function namedBy({ resources }: Pick<Template, 'resources'>): Map<string, Set<string>> {
  return new Map(
    Object.entries(resources).map(([id, { DependsOn = [], Properties }]) => [
      id,
      new Set([...[DependsOn].flat(), ...referencesIn(Properties)].filter((name) => name in resources)),
    ]),
  );
}

/** Every name in a `Ref`, a `Fn::GetAtt` or a `Fn::Sub`. */
function referencesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) {
    return [];
  }
  return Object.entries(value).flatMap(([key, inner]) => {
    switch (key) {
      case 'Ref':
        return [String(inner)];
      case 'Fn::GetAtt':
        return [String([inner].flat()[0]).split('.')[0] ?? ''];
      case 'Fn::Sub':
        return [
          ...String([inner].flat()[0])
            .matchAll(/\$\{([A-Za-z0-9]+)/g)
            .map(([, name = '']) => name),
          ...referencesIn(inner),
        ];
      default:
        return referencesIn(inner);
    }
  });
}

/**
 * All resources that are deployed before each resource of a template, directly or indirectly.
 * @throws when resources wait for each other.
 */
export function predecessorsIn(template: Pick<Template, 'resources'>): Map<string, Set<string>> {
  const named = namedBy(template);
  const all = new Map<string, Set<string>>();
  const visit = (id: string, path: readonly string[]): Set<string> => {
    if (path.includes(id)) {
      throw new Error(`These wait for each other: ${[...path.slice(path.indexOf(id)), id].join(' → ')}`);
    }
    const known = all.get(id);
    if (known !== undefined) {
      return known;
    }
    const found = new Set<string>();
    for (const before of named.get(id) ?? []) {
      found.add(before);
      for (const one of visit(before, [...path, id])) {
        found.add(one);
      }
    }
    all.set(id, found);
    return found;
  };
  for (const id of named.keys()) {
    visit(id, []);
  }
  return all;
}
