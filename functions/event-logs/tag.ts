import type { Tags } from '../../shared/kernel/tag.ts';

export default [
  { name: 'Event Logs', description: 'Who did what in an organization, for its administrators.' },
] satisfies Tags;
