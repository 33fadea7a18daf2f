import type { Tags } from '../../shared/kernel/tag.ts';

export default [
  {
    name: 'Auth',
    description: 'Log in, register, and keep a session alive with one-time refresh tokens.',
  },
] satisfies Tags;
