import type { Tags } from '../../shared/kernel/tag.ts';

export default [
  {
    name: 'Imports and exports',
    description: 'Contacts from tables of other programs, and to them.',
  },
] satisfies Tags;
