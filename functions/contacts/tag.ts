import type { Tags } from '../../shared/kernel/tag.ts';

export default [
  {
    name: 'Contacts',
    description:
      'People and their place in a pipeline: the board by stage, single contacts, moves between stages.',
  },
] satisfies Tags;
