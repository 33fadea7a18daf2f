/** A group of operations in the documentation. */
export interface Tag {
  readonly name: string;
  readonly description: string;
}

/** The specification's tag of each folder of operations, in the order of the page: first what everybody begins with. */
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
  ai: {
    name: 'AI',
    description: 'The registry of AI models that every organization may use.',
  },
  applications: {
    name: 'Applications',
    description: 'What contacts apply for, each in a stage of an application pipeline.',
  },
  calls: {
    name: 'Calls',
    description: 'Calls between browser and phone, tied to contacts and their voice conversations.',
  },
  'contact-notes': {
    name: 'Contact Notes',
    description: 'Notes on contacts, with mentions, attachments and reactions.',
  },
  conversations: {
    name: 'Conversations',
    description: 'What was said with a contact, one conversation a channel.',
  },
  departments: {
    name: 'Departments',
    description: 'Groups of users; a head sees the records of the members.',
  },
  marketplace: {
    name: 'Marketplace',
    description: 'Listings that an organization offers.',
  },
  messages: {
    name: 'Messages',
    description: 'Text messages to contacts.',
  },
  notifications: {
    name: 'Notifications',
    description: 'What users are told of: mentions and the like, and which kinds they want.',
  },
  organizations: {
    name: 'Organizations',
    description: 'Settings of an organization: business hours, sessions, registration, phone numbers.',
  },
  outreach: {
    name: 'Outreach',
    description: 'Configurations by which leads from elsewhere become contacts.',
  },
  'outreach-metrics': {
    name: 'Outreach Metrics',
    description: 'How many leads came, and what became of them.',
  },
  pipelines: {
    name: 'Pipelines',
    description: 'The ordered stages that contacts and applications pass through.',
  },
  reminders: {
    name: 'Reminders',
    description: 'Notes to come back to a contact at a time.',
  },
  templates: {
    name: 'Templates',
    description: 'Texts with placeholders for messages, campaigns, scripts and automations.',
  },
  training: {
    name: 'Training',
    description: 'Snapshots of conversations, kept as good or bad examples.',
  },
  upload: {
    name: 'Upload',
    description: 'Files for notes and messages, sent straight to the object store.',
  },
  users: {
    name: 'Users',
    description: 'The people of an organization, their roles and departments.',
  },
  webhook: {
    name: 'Webhook',
    description: 'Endpoints that providers and lead sources call.',
  },
  workflows: {
    name: 'Workflows',
    description: 'Automation graphs of nodes and edges.',
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
