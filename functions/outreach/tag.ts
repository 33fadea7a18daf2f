import type { Tags } from '../../shared/kernel/tag.ts';

export default [
  {
    name: 'Outreach',
    description: 'Configurations that turn leads from other systems into contacts.',
  },
  {
    name: 'Outreach Metrics',
    description: 'How many leads came in, and what became of them.',
  },
] satisfies Tags;
