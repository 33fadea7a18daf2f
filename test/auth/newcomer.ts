import { randomUUID } from 'node:crypto';
import { password } from '../harness/product.ts';

/** What somebody sends to register who has not before; `more` replaces or adds fields. */
export function newcomer(more: Record<string, unknown> = {}) {
  return {
    email: `person-${randomUUID()}@example.com`,
    password,
    firstName: 'Ada',
    lastName: 'Byron',
    ...more,
  };
}
