import type { Tags } from '../../shared/kernel/tag.ts';

export default [
  {
    name: 'Calls',
    description: 'Calls between browser and phone, tied to contacts and their voice conversations.',
  },
] satisfies Tags;
