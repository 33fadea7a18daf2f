import type { Tags } from '../../shared/kernel/tag.ts';

export default [
  {
    name: 'Auth',
    description:
      'Log in, register or accept an invitation, keep a session alive with one-time refresh tokens, list and end sessions, change or reset the password, and set up a second factor.',
  },
] satisfies Tags;
