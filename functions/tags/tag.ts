import type { Tags } from '../../shared/kernel/tag.ts';

export default [
  {
    name: 'Tags',
    description: 'The labels of contacts, and how many have each.',
  },
] satisfies Tags;
