import { expect, test } from 'vitest';
import { reaches } from '../../shared/kernel/caller.ts';
import type { Call } from '../harness/call.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { outcome } from '../harness/tenants.ts';
import { familyKeys, type OperationCase, operationsWithCases } from './operations.ts';

const guarded = (await operationsWithCases()).filter(({ operation }) => operation.minimumRole !== 'anyone');
const open = (await operationsWithCases()).filter(({ operation }) => operation.minimumRole === 'anyone');

/** One of every role outside the organization that the requests are about. */
const foreignAdmins = ['superadmin', 'foreignAdmin', 'foreignHead', 'foreignRep'] as const;
const tenants = await setUpTenants();
const { product, superadmin, admin, head, rep, otherRep, otherHead, foreignAdmin, foreignHead, newContact } =
  tenants;

const secret = await newContact({ firstName: 'Unmistakable' });

const successOf = ({ operation, accessCase }: OperationCase) => accessCase.status ?? operation.status ?? 200;

/** By operation and sender. A refused request uses nothing up: it can be sent again until one succeeds. */
const unused = new Map<string, Call>();

async function callAs(
  { name, accessCase }: OperationCase,
  person: Person,
  headers: Record<string, string> = {},
) {
  const isRefused = person.role !== 'SUPERADMIN' && headers['x-organization-id'] !== undefined;
  const isAtHome = person.organizationId === admin.organizationId;
  const by = isAtHome && !isRefused ? person : rep;
  const of = `${name} ${by.userId}`;
  const request = unused.get(of) ?? (await accessCase.request(tenants, by));
  const response = await product.call(name, { ...request, token: person.token, headers });
  if (response.status < 400) {
    unused.delete(of);
  } else {
    unused.set(of, request);
  }
  return { request, response };
}

const nothing = '01JZZZZZZZZZZZZZZZZZZZZZZZ';

/** With another contact, if it names one. */
const ofNobody = <Part extends object>(part: Part): Part =>
  'contactId' in part ? { ...part, contactId: nothing } : part;

/** The same request about a record that does not exist, named by the path, or as the contact in query or body. */
const aboutNothing = ({ path = {}, query, body, ...request }: Call): Call => ({
  ...request,
  path: Object.fromEntries(Object.keys(path).map((key) => [key, nothing])),
  ...(query === undefined ? {} : { query: ofNobody(query) }),
  ...(typeof body === 'object' && body !== null ? { body: ofNobody(body) } : { body }),
});

async function whatMissingGets({ name }: OperationCase, request: Call, person: Person) {
  const { status, body } = await product.call(name, { ...aboutNothing(request), token: person.token });
  return { status, body };
}

for (const one of guarded) {
  const { operation, accessCase } = one;
  const lowest = operation.minimumRole === 'anyone' ? 'SALES_REP' : operation.minimumRole;

  test.each(['superadmin', 'admin', 'head', 'rep'] as const)(
    `${one.name} as %s of their own organization follows the role`,
    async (who) => {
      const person = tenants[who];
      const headers: Record<string, string> =
        who === 'superadmin' ? { 'x-organization-id': admin.organizationId } : {};
      const { response } = await callAs(one, person, headers);
      const refused = reaches(person.role, lowest) ? accessCase.refused?.[who] : 403;
      if (refused === undefined) {
        expect(response.body).not.toHaveProperty('error');
        expect(response.status).toBe(successOf(one));
      } else {
        expect(response.status).toBe(refused);
        expect(Object.keys(response.body)).toEqual(familyKeys[operation.family]);
      }
    },
  );

  /**
   * Decisions 1: a SUPERADMIN names another organization in the header `x-organization-id`; from any other role the header is refused:
   * 403.
   */
  test(`${one.name} refuses the header x-organization-id from everyone but a SUPERADMIN`, async () => {
    for (const person of [admin, foreignHead, rep]) {
      const { response } = await callAs(one, person, { 'x-organization-id': admin.organizationId });
      expect(response.status).toBe(403);
    }
  });

  test(`${one.name} is a 404 for a SUPERADMIN who names an organization that does not exist`, async () => {
    const { response } = await callAs(one, superadmin, { 'x-organization-id': 'nowhere' });
    expect(response.status).toBe(404);
  });

  if (accessCase.subject === 'record') {
    test.each(['otherRep', 'otherHead'] as const)(
      `${one.name} shows a record of somebody else to %s as a missing one`,
      async (who) => {
        const { request, response } = await callAs(one, tenants[who]);
        const missing = await whatMissingGets(one, request, tenants[who]);
        expect(missing.status).toBe(404);
        expect(outcome(response)).toEqual(missing);
      },
    );
  }

  if (accessCase.subject === 'record' || accessCase.subject === 'shared') {
    test.each(foreignAdmins)(
      `${one.name} shows a record of another organization to %s there as a missing one`,
      async (who) => {
        const { request, response } = await callAs(one, tenants[who]);
        const missing = await whatMissingGets(one, request, tenants[who]);
        expect(missing.status).toBe(reaches(tenants[who].role, lowest) ? 404 : 403);
        expect(outcome(response)).toEqual(missing);
      },
    );
  }

  if (accessCase.subject === 'organization') {
    // What an ADMIN of the organization gets is tested above.
    test.each(foreignAdmins)(
      `${one.name} shows nothing of this organization to %s of another`,
      async (who) => {
        const { response } = await callAs(one, tenants[who]);
        expect(response.status).toBe(reaches(tenants[who].role, lowest) ? successOf(one) : 403);
        const text = JSON.stringify(response.body);
        const people = [admin, head, rep, otherRep, otherHead].flatMap(({ userId, email }) => [
          userId,
          email,
        ]);
        const ids = [secret._id, secret.stageId, admin.organizationId];
        for (const hidden of [...ids, ...people, 'Unmistakable']) {
          expect(text).not.toContain(hidden);
        }
      },
    );
  }

  if (accessCase.subject === 'named-organization') {
    const inOrganization = (request: Call, organizationId: string): Call => ({
      ...request,
      path: { ...request.path, organizationId },
    });
    const missing = '01JZZZZZZZZZZZZZZZZZZZZZZZ';

    test.each(['foreignAdmin', 'foreignHead', 'foreignRep'] as const)(
      `${one.name} refuses %s of another organization, whether the one named exists or not, without a look-up`,
      async (who) => {
        const { request, response } = await callAs(one, tenants[who]);
        const { token } = tenants[who];
        const nowhere = await product.call(one.name, { ...inOrganization(request, missing), token });
        expect(response.status).toBe(403);
        expect(response.consumed?.requests).toBe(0);
        expect(outcome(nowhere)).toEqual({ status: 403, body: response.body });
      },
    );

    test(`${one.name} lets a SUPERADMIN act where the path says, whatever the header x-organization-id does`, async () => {
      const headers = { 'x-organization-id': foreignAdmin.organizationId };
      expect((await callAs(one, superadmin)).response.status).toBe(successOf(one));
      expect((await callAs(one, superadmin, headers)).response.status).toBe(successOf(one));
    });

    test(`${one.name} is a 404 \`{error: "Organization not found", details}\` for a SUPERADMIN who names none`, async () => {
      const request = inOrganization(await accessCase.request(tenants, rep), missing);
      expect(outcome(await product.call(one.name, { ...request, token: superadmin.token }))).toEqual({
        status: 404,
        body: { error: 'Organization not found', details: 'No organization has the id in the path.' },
      });
    });
  }
}

test.each(open)('$name needs no bearer token', async (one) => {
  const request = await one.accessCase.request(tenants, rep);
  expect((await product.call(one.name, request)).status).toBe(successOf(one));
});
