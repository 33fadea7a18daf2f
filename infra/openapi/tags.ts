import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Operation } from '../../shared/kernel/operation.ts';
import type { Tag } from '../../shared/kernel/tag.ts';
import { projectRoot } from '../project.ts';
import type { Registered } from '../registry.ts';

/** The tags everybody begins with, and those hardly anybody looks for; the others are in between, by name. */
const [first, last] = [['Auth', 'Contacts'], ['System']];

/**
 * The tag of an operation: the first of its capability, or the one that it names, even from another capability.
 * @throws when there is no such tag.
 */
export function operationTag(
  { file, folder, tags, operation }: Registered<Operation>,
  all: readonly Tag[],
): Tag {
  const tag = operation.tag === undefined ? tags[0] : all.find(({ name }) => name === operation.tag);
  if (tag === undefined) {
    throw new Error(`${file} needs ${operation.tag ?? 'a tag'}: add it to functions/${folder}/tag.ts.`);
  }
  return tag;
}

/** The tags of these operations, in the order of the page. The first tag of a capability has its chapter. */
export function publishedTags(published: readonly Registered<Operation>[]): Tag[] {
  const capabilities = new Map(published.map(({ folder, tags }) => [folder, tags]));
  return [...capabilities]
    .flatMap(([folder, tags]) =>
      tags.map((tag, index) => (index === 0 ? withChapter(tag, folder, capabilities) : tag)),
    )
    .sort((a, b) => positionOf(a) - positionOf(b) || (a.name < b.name ? -1 : 1));
}

/** The tag, with the sections in the `README.md` of its capability, if there is one, below its description. */
function withChapter(tag: Tag, folder: string, capabilities: ReadonlyMap<string, readonly Tag[]>): Tag {
  const file = join(projectRoot, 'functions', folder, 'README.md');
  if (!existsSync(file)) {
    return tag;
  }
  const chapter = readFileSync(file, 'utf8')
    .replace(/^.*?(?=^## )/ms, '')
    .replaceAll(/^<!-- .* -->\n/gm, '')
    .replaceAll(/\[([^\]]+)\]\(([^)]+)\)/g, (_link, text: string, target: string) => {
      const [other] = capabilities.get(/^\.\.\/([\w-]+)\/README\.md$/.exec(target)?.[1] ?? '') ?? [];
      // Headings have no addresses in the documentation, and other files are not in it.
      return other === undefined ? text : `[${text}](#/${encodeURIComponent(other.name)})`;
    });
  return { ...tag, description: `${tag.description}\n\n${chapter.trim()}` };
}

function positionOf({ name }: Tag): number {
  const position = first.indexOf(name);
  if (position !== -1) {
    return position;
  }
  return first.length + (last.includes(name) ? 1 : 0);
}
