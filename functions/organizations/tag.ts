import type { Tags } from '../../shared/kernel/tag.ts';

export default [
  {
    name: 'Organizations',
    description: 'Settings of an organization: business hours, sessions, registration, phone numbers.',
  },
  {
    name: 'Users',
    description: 'The people of an organization, their roles and departments.',
  },
  {
    name: 'Departments',
    description: 'Groups of users; a head sees the records of the members.',
  },
] satisfies Tags;
