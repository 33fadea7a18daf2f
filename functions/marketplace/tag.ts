import type { Tags } from '../../shared/kernel/tag.ts';

export default [
  {
    name: 'Marketplace',
    description: 'Listings that an organization offers.',
  },
] satisfies Tags;
