import { nameKey } from './folded.ts';

/** Names of tags, stages and sources are the same when they differ in case alone; the first spelling stays. Source: decisions 1, "Text". */

/** The names, each as it is spelled first: names that are the same become one. */
export function differentNames(names: readonly string[]): string[] {
  const byKey = new Map<string, string>();
  for (const name of names) {
    const key = nameKey(name);
    byKey.set(key, byKey.get(key) ?? name);
  }
  return [...byKey.values()];
}

/** The names without any that is the same as one of the others. */
export function withoutNames(names: readonly string[], others: readonly string[]): string[] {
  const keys = new Set(others.map(nameKey));
  return names.filter((name) => !keys.has(nameKey(name)));
}

/** The names, spelled as those before that are the same. */
export function spelledAsBefore(before: readonly string[], names: readonly string[]): string[] {
  const spellings = new Map(before.map((name) => [nameKey(name), name]));
  return names.map((name) => spellings.get(nameKey(name)) ?? name);
}

/** Finds what has a name: exactly this one, or else the same. Records from before names without case may have both. */
export function named<Named extends { readonly name: string }>(
  all: readonly Named[],
): (name: string) => Named | undefined {
  const exactly = new Map(all.map((entry) => [entry.name, entry]));
  const alike = new Map(all.toReversed().map((entry) => [nameKey(entry.name), entry]));
  return (name) => exactly.get(name) ?? alike.get(nameKey(name));
}
