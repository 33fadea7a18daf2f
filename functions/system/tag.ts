import type { Tags } from '../../shared/kernel/tag.ts';

export default [
  {
    name: 'System',
    description: 'Whether the service is up, and its description for programs and for people.',
  },
] satisfies Tags;
