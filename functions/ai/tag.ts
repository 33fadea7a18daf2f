import type { Tags } from '../../shared/kernel/tag.ts';

export default [
  {
    name: 'AI',
    description: 'The registry of AI models that every organization may use.',
  },
] satisfies Tags;
