import type { Tags } from '../../shared/kernel/tag.ts';

export default [
  {
    name: 'Custom fields',
    description: 'Definitions of what the custom fields of contacts and applications hold.',
  },
] satisfies Tags;
