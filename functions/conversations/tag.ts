import type { Tags } from '../../shared/kernel/tag.ts';

export default [
  {
    name: 'Conversations',
    description: 'What was said with a contact, one conversation a channel.',
  },
] satisfies Tags;
