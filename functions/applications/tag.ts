import type { Tags } from '../../shared/kernel/tag.ts';

export default [
  {
    name: 'Applications',
    description: 'What contacts apply for, each in a stage of an application pipeline.',
  },
] satisfies Tags;
