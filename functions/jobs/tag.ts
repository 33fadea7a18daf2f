import type { Tags } from '../../shared/kernel/tag.ts';

export default [
  {
    name: 'Jobs',
    description: 'What works through many records after its request: how far it is, and what became of each.',
  },
] satisfies Tags;
