import type { Tags } from '../../shared/kernel/tag.ts';

export default [
  {
    name: 'Workflows',
    description: 'Automation graphs of nodes and edges.',
  },
] satisfies Tags;
