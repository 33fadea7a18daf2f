import type { Tags } from '../../shared/kernel/tag.ts';

export default [
  {
    name: 'Contact Notes',
    description: 'Notes on contacts, with mentions, attachments and reactions.',
  },
  {
    name: 'Upload',
    description: 'Files for [notes](#/Contact%20Notes) and messages, sent straight to the object store.',
  },
] satisfies Tags;
