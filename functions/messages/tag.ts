import type { Tags } from '../../shared/kernel/tag.ts';

export default [
  {
    name: 'Messages',
    description: 'Text messages to contacts.',
  },
  {
    name: 'Webhook',
    description:
      'Endpoints that providers and lead sources call. [Messages](#/Messages), [Calls](#/Calls) and [Outreach](#/Outreach) explain them.',
  },
  {
    name: 'Sms',
    description:
      'Texts to contacts are [Messages](#/Messages), texts from contacts come to the [Webhook](#/Webhook) of the provider, and texts to reuse are [Templates](#/Templates).',
  },
] satisfies Tags;
