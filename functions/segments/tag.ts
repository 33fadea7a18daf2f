import type { Tags } from '../../shared/kernel/tag.ts';

export default [
  {
    name: 'Segments',
    description: 'Filters of the board that are kept under a name, for oneself or for everybody.',
  },
] satisfies Tags;
