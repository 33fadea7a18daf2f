import { keyGroup } from '../../shared/kernel/http/key-access.ts';
import type { Tags } from '../../shared/kernel/tag.ts';

export default [
  {
    name: keyGroup,
    description: 'Keys with which programs call, and what a caller is.',
  },
] satisfies Tags;
