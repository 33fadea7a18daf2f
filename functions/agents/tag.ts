import { agentGroup } from '../../shared/kernel/http/key-access.ts';
import type { Tags } from '../../shared/kernel/tag.ts';

export default [
  {
    name: agentGroup,
    description:
      'What language models and other programs read and use: this documentation as text, and tools.',
  },
] satisfies Tags;
