import { expect } from 'vitest';
import { expectStatus, outcome } from '../harness/world.ts';
import { type OrganizationsClient, problem } from './client.ts';

/** Business hours that nobody has set. */
export const initialHours = {
  timezone: 'UTC',
  businessHours: null,
  holidays: [],
  exceptionalHours: [],
  allowUserBusinessHoursOverride: false,
};

export const nineToFive = { enabled: true, start: '09:00', end: '17:00' };

/** Sets and reads the business hours of the organization whose client this is when they are called. */
export function businessHoursOf(client: () => OrganizationsClient) {
  const put = (body: unknown) => client()('update-business-hours', body);
  return {
    put,
    read: async () => expectStatus(await client()('read-business-hours'), 200).data,
    /** A 400 in the family's shape that names the field. */
    async expectRefused(body: unknown, details: string | RegExp) {
      expect(outcome(await put(body)), JSON.stringify(body).slice(0, 80)).toEqual(
        problem(400, 'Invalid request', expect.stringMatching(details)),
      );
    },
  };
}
