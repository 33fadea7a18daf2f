import type { Tags } from '../../shared/kernel/tag.ts';

export default [
  {
    name: 'Notifications',
    description:
      'Notifications of users, such as mentions, due reminders, messages and leads, and their preferences.',
  },
] satisfies Tags;
