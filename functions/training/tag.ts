import type { Tags } from '../../shared/kernel/tag.ts';

export default [
  {
    name: 'Training',
    description: 'Snapshots of conversations, kept as good or bad examples.',
  },
] satisfies Tags;
