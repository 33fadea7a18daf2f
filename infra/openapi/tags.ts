import type { Operation } from '../../shared/kernel/operation.ts';
import type { Tag } from '../../shared/kernel/tag.ts';
import type { Registered } from '../registry.ts';

/** The tags everybody begins with, and those hardly anybody looks for; the others are in between, by name. */
const [first, last] = [['Auth', 'Contacts'], ['System']];

/**
 * The tag of an operation: the first of its capability, or the one that it names, even from another capability.
 * @throws when there is no such tag.
 */
export function tagOf({ file, folder, tags, operation }: Registered<Operation>, all: readonly Tag[]): Tag {
  const tag = operation.tag === undefined ? tags[0] : all.find(({ name }) => name === operation.tag);
  if (tag === undefined) {
    throw new Error(`${file} needs ${operation.tag ?? 'a tag'}: add it to functions/${folder}/tag.ts.`);
  }
  return tag;
}

/** The tags of these operations, in the order of the page. */
export function tagsOf(published: readonly Registered<Operation>[]): Tag[] {
  const all = new Map(published.flatMap(({ tags }) => tags).map((tag) => [tag.name, tag]));
  return [...all.values()].sort((a, b) => placeOf(a) - placeOf(b) || (a.name < b.name ? -1 : 1));
}

function placeOf({ name }: Tag): number {
  const place = first.indexOf(name);
  if (place !== -1) {
    return place;
  }
  return first.length + (last.includes(name) ? 1 : 0);
}
