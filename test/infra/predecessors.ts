import type { Template } from './synthesized.ts';

/** Those that each resource of a template names: they are deployed before it. */
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

/** All that are deployed before each resource of a template, at any distance. @throws when resources wait for each other. */
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

/**
 * The most of these resources that can be under way at once, because none of them waits for another. By Dilworth's theorem that is
 * how many chains it takes to hold them all: one for each that no other follows in a largest matching.
 */
export function maxAtOnce(
  ids: readonly string[],
  preceders: ReadonlyMap<string, ReadonlySet<string>>,
): number {
  const followerOf = new Map<string, string>();
  const findsPlace = (id: string, tried: Set<string>): boolean =>
    ids.some((before) => {
      if (preceders.get(id)?.has(before) !== true || tried.has(before)) {
        return false;
      }
      tried.add(before);
      const follower = followerOf.get(before);
      if (follower === undefined || findsPlace(follower, tried)) {
        followerOf.set(before, id);
        return true;
      }
      return false;
    });
  return ids.length - ids.filter((id) => findsPlace(id, new Set())).length;
}
