import type { Tags } from '../../shared/kernel/tag.ts';

export default [
  {
    name: 'Messages',
    description: 'Text messages to contacts.',
  },
  {
    name: 'Webhook',
    description: 'Endpoints that providers and lead sources call.',
  },
] satisfies Tags;
