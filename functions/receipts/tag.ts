import type { Tags } from '../../shared/kernel/tag.ts';

export default [
  {
    name: 'Receipts',
    description:
      'What came in by the [Webhook](#/Webhook) of a provider or a lead source and was not applied at once.',
  },
] satisfies Tags;
