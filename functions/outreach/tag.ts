import type { Tags } from '../../shared/kernel/tag.ts';

export default [
  {
    name: 'Outreach',
    description: 'Configurations by which leads from elsewhere become contacts.',
  },
  {
    name: 'Outreach Metrics',
    description: 'How many leads came, and what became of them.',
  },
] satisfies Tags;
