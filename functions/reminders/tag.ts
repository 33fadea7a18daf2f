import type { Tags } from '../../shared/kernel/tag.ts';

export default [
  {
    name: 'Reminders',
    description: 'Notes to come back to a contact at a time.',
  },
] satisfies Tags;
