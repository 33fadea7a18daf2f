import type { Tags } from '../../shared/kernel/tag.ts';

export default [
  {
    name: 'Pipelines',
    description: 'The ordered stages that contacts and applications pass through.',
  },
] satisfies Tags;
