import type { Tags } from '../../shared/kernel/tag.ts';

export default [
  {
    name: 'Webhook endpoints',
    description: 'Addresses outside to which the service posts the events of the organization.',
  },
] satisfies Tags;
