import type { Tags } from '../../shared/kernel/tag.ts';

export default [
  {
    name: 'Templates',
    description: 'Texts with placeholders for messages, campaigns, scripts and automations.',
  },
] satisfies Tags;
