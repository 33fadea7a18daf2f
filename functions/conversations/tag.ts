import type { Tags } from '../../shared/kernel/tag.ts';

export default [
  {
    name: 'Conversations',
    description: 'Conversations with contacts, one for each channel.',
  },
] satisfies Tags;
