/** A group of operations in the documentation. */
export interface Tag {
  readonly name: string;
  readonly description: string;
}

/** The specification's tag of each folder of operations, in the order of the page. */
const tagsByFolder: Readonly<Record<string, Tag>> = {
  auth: {
    name: 'Auth',
    description: 'Sign in, register, and keep a session alive with one-time refresh tokens.',
  },
  contacts: {
    name: 'Contacts',
    description:
      'People and their place in a pipeline: the board by stage, single contacts, moves between stages.',
  },
  pipelines: {
    name: 'Pipelines',
    description: 'The ordered stages that contacts and applications pass through.',
  },
  system: {
    name: 'System',
    description: 'Whether the service is up, and its description for programs and for people.',
  },
};

export function tagOf(folder: string): Tag {
  const tag = tagsByFolder[folder];
  if (tag === undefined) {
    throw new Error(`functions/${folder} has no tag; add one to infra/openapi/tags.ts.`);
  }
  return tag;
}

/** The tags of these folders, each once, in the order of the page. */
export function tagsOf(folders: ReadonlySet<string>): Tag[] {
  return Object.entries(tagsByFolder)
    .filter(([folder]) => folders.has(folder))
    .map(([, tag]) => tag);
}
