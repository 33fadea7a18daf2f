import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { hour, after as later } from '../../shared/kernel/time.ts';
import { trialPolicies } from '../../shared/organizations/trial-policy.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { countStatuses } from '../harness/tenants.ts';
import { mailClient } from './mail-client.ts';

const product = await setUpProduct();
product.providers.trialPolicy = () => trialPolicies.approved;
const { invite, signedIn } = await mailClient(product);
const admin = await product.newOrganization();
const superadmin = await product.newSuperadmin();

const newAddress = () => `${randomUUID()}@example.com`;

test('Whether an address has an account can be asked as often as people can be invited', async () => {
  const { invitationsPerDay } = trialPolicies.approved.mail;
  const curious = await product.newOrganization();
  const colleagues = await Promise.all(
    Array.from({ length: invitationsPerDay / 2 }, () => product.newColleague(admin)),
  );
  for (const { email } of colleagues) {
    expect((await invite(curious, { email })).status).toBe(409);
    // Says nothing of the address.
    expect((await invite(curious, { email, departmentIds: ['nothing'] })).status).toBe(404);
    expect((await invite(curious, { email: newAddress() })).status).toBe(201);
  }
  for (const { email } of colleagues.slice(0, 2)) {
    expect((await invite(curious, { email })).status).toBe(429);
  }
});

test('Invitations are limited for an organization and for a recipient where the trial policy is strict', async () => {
  const email = newAddress();
  const inviters = await Promise.all(Array.from({ length: 6 }, () => product.newOrganization()));
  const responses = await Promise.all(inviters.map((inviter) => invite(inviter, { email })));
  expect(countStatuses(responses)).toEqual({ 201: 5, 429: 1 });
  const eager = await product.newOrganization();
  const many = [];
  for (let count = 0; count < 12; count += 1) {
    many.push(await invite(eager, { email: newAddress() }));
  }
  expect(countStatuses(many)).toEqual({ 201: 10, 429: 2 });
  const at = later(new Date(), 23 * hour);
  const refused = await invite(await signedIn(eager, at), { email: newAddress() }, { at });
  expect(refused.status).toBe(429);
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(3_000);
});

test('An organization for which a SUPERADMIN has set a number invites as many, and nobody else uses up what its recipients get', async () => {
  const trusted = await product.newOrganization();
  const set = (invitationsPerDay: number | null) =>
    product.call('update-text-settings', {
      token: superadmin.token,
      path: { organizationId: trusted.organizationId },
      body: { invitationsPerDay },
    });
  expect((await set(13)).body.data).toMatchObject({ invitationsPerDay: 13 });
  const email = newAddress();
  const otherAdmins = await Promise.all(Array.from({ length: 6 }, () => product.newOrganization()));
  expect(countStatuses(await Promise.all(otherAdmins.map((other) => invite(other, { email }))))).toEqual({
    201: 5,
    429: 1,
  });
  const toOne = [];
  for (let count = 0; count < 6; count += 1) {
    toOne.push(await invite(trusted, { email }));
  }
  expect(countStatuses(toOne)).toEqual({ 201: 5, 429: 1 });
  const others = [];
  for (let count = 0; count < 9; count += 1) {
    others.push(await invite(trusted, { email: newAddress() }));
  }
  expect(countStatuses(others)).toEqual({ 201: 8, 429: 1 });

  expect((await set(null)).body.data).toMatchObject({ invitationsPerDay: 10 });
  expect((await set(0)).status).toBe(400);
  expect((await invite(trusted, { email: newAddress() })).status).toBe(429);
});
