import type { Tags } from '../../shared/kernel/tag.ts';

export default [
  {
    name: 'Notifications',
    description: 'What users are told of: mentions and the like, and which kinds they want.',
  },
] satisfies Tags;
