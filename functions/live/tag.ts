import { eventGroup } from '../../shared/kernel/http/key-access.ts';
import type { Tags } from '../../shared/kernel/tag.ts';

export default [
  {
    name: eventGroup,
    description: 'What has happened, for programs that ask from time to time.',
  },
] satisfies Tags;
