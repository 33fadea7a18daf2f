import type { Tags } from '../../shared/kernel/tag.ts';

export default [
  {
    name: 'Reminders',
    description: 'Reminders to come back to a contact at a given time.',
  },
] satisfies Tags;
