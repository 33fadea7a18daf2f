import type { Tags } from '../../shared/kernel/tag.ts';

export default [
  {
    name: 'Notifications',
    description: 'Notifications of users, such as mentions and due reminders, and their preferences.',
  },
] satisfies Tags;
