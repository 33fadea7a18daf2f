import { expect, test } from 'vitest';
import * as z from 'zod';
import { withoutNulls } from '../../shared/kernel/http/without-nulls.ts';
import type { Operation } from '../../shared/kernel/operation.ts';
import { Id } from '../../shared/kernel/schemas/fields.ts';
import { removeRequiredFields } from '../custom-fields/client.ts';
import type { Call } from '../harness/call.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { arrange, outcome } from '../harness/tenants.ts';
import { caseSender, familyKeys, operationsWithCases } from './operations.ts';
import { fieldMatch } from './schema-walk.ts';

const withBody = (await operationsWithCases()).filter(({ operation }) => operation.body !== undefined);
const tenants = await setUpTenants();
const { product, superadmin, admin, rep } = tenants;

const bySuperadmin = {
  token: superadmin.token,
  headers: { 'x-organization-id': admin.organizationId },
};

/** Bodies that every operation refuses, by what is wrong with them; the status they get. */
const refused: Record<string, { body: string; status: number }> = {
  'no JSON': { body: '{"a": ', status: 400 },
  'an array': { body: '[]', status: 400 },
  'a string': { body: '"text"', status: 400 },
  null: { body: 'null', status: 400 },
  'a number': { body: '1e400', status: 400 },
  'the key __proto__': { body: '{"__proto__": {"role": "SUPERADMIN"}}', status: 400 },
  'the key __proto__ deep inside': { body: '{"extra": [{"a": {"__proto__": 1}}]}', status: 400 },
  'an escaped key __proto__': { body: '{"\\u005f_proto__": 1}', status: 400 },
  '5,000 levels': { body: `{"extra": ${'['.repeat(5_000)}${']'.repeat(5_000)}}`, status: 400 },
  '20,000 levels and a number of many digits': {
    body: `{"extra": ${'['.repeat(20_000)}5000.00${']'.repeat(20_000)}}`,
    status: 400,
  },
  'a number beyond 64 bits': { body: '{"extra": 1e400}', status: 400 },
  'a lone surrogate': { body: '{"extra": "\\ud800"}', status: 400 },
  'a lone surrogate in a key': { body: '{"\\udc00": 1}', status: 400 },
};

/** Problems for which leads and incoming texts are not refused; other tests show how these are handled. */
const repairable = [
  '5,000 levels',
  '20,000 levels and a number of many digits',
  'a number beyond 64 bits',
  'a lone surrogate',
  'a lone surrogate in a key',
];

/** A string of 1 MB, or of what the operation's body may have, where that is more. */
const tooLong = ({ bodyLimit = 0 }: Operation) =>
  JSON.stringify({ extra: 'x'.repeat(Math.max(bodyLimit, 1024 * 1024)) });

/** False for the few operations whose contract refuses keys that it does not name, or what most values of them are. */
const takesOtherKeys = ({ body }: Operation) =>
  [undefined, 'unknown'].includes(body?._zod.def.catchall?._zod.def.type);

/** Values that suit few fields. */
const oddValues = [
  null,
  true,
  -1,
  1e308,
  '',
  'x'.repeat(100_000),
  '\u0000',
  [],
  [[]],
  {},
  { constructor: { prototype: 1 } },
];

/** Bodies are read alike in a family: one operation of each meets all of the above, and so do those that say how theirs is read. */
const thorough = new Set([
  ...new Map(withBody.map(({ name, operation }) => [operation.family, name])).values(),
  ...withBody
    .filter(({ operation: { repairsBody, bodyLimit } }) => repairsBody || bodyLimit !== undefined)
    .map(({ name }) => name),
]);

for (const { name, operation, accessCase } of withBody) {
  /** What is refused consumes nothing: the same request serves until one succeeds. */
  let unused: Call | undefined;
  const request = async () => {
    unused ??= await accessCase.request(tenants, rep);
    return unused;
  };
  const send = async (body: unknown) => {
    const response = await product.call(name, {
      ...(await request()),
      ...caseSender(tenants, accessCase),
      body,
    });
    unused = response.status < 300 ? undefined : unused;
    return response;
  };

  test.each(
    thorough.has(name) ? [...Object.keys(refused), 'a string of 1 MB'] : ['no JSON', 'the key __proto__'],
  )(`${name} refuses %s in the family's shape`, async (kind) => {
    if (operation.repairsBody === true && repairable.includes(kind)) {
      return;
    }
    const { body, status } = refused[kind] ?? { body: tooLong(operation), status: 413 };
    const response = await send(body);
    expect({ status: response.status, keys: Object.keys(response.body) }).toEqual({
      status,
      keys: familyKeys[operation.family],
    });
    expect(response.consumed?.writeUnits ?? 0).toBe(0);
  });

  test(`${name} refuses odd values of a field with a 400 that names the field, and takes those that the field takes`, async () => {
    for (const [field, schema] of Object.entries(operation.body?.shape ?? {})) {
      for (const value of oddValues) {
        const { body } = await request();
        const read = withoutNulls(operation.body as z.core.$ZodType, { [field]: value }) as Record<
          string,
          unknown
        >;
        const isTaken = z.safeParse(schema, read[field]).success;
        const response = await send({ ...(body as object), [field]: value });
        const about = `${field}: ${JSON.stringify(value).slice(0, 40)}`;
        if (!(field in read) && response.status === 400) {
          const { [field]: _, ...others } = body as Record<string, unknown>;
          expect(outcome(await send(others)), about).toEqual(outcome(response));
          continue;
        }
        const ofNobody = fieldMatch(schema, Id) === undefined ? undefined : 404;
        const statuses = isTaken
          ? [operation.status ?? 200, accessCase.fieldStatuses?.[field], ofNobody]
          : [400];
        expect(statuses, about).toContain(response.status);
        if (response.status >= 300) {
          expect(Object.keys(response.body), about).toEqual(familyKeys[operation.family]);
        }
        if (!isTaken) {
          expect(response.text, about).toContain(field);
          expect(response.consumed?.writeUnits ?? 0, about).toBe(0);
        }
      }
    }
    // One of the values may have disabled `rep`, who is still needed, or made a field required, which no other request has.
    const body = { disabled: false };
    await arrange(product.call('update-user', { ...bySuperadmin, path: { id: rep.userId }, body }));
    await removeRequiredFields(tenants);
  });

  test(`${name} takes the key constructor, and keys named like methods, without harm`, async () => {
    const request = await accessCase.request(tenants, rep);
    const odd = '"constructor": {"prototype": {"a": 1}}, "toString": 1, "hasOwnProperty": null, "then": 1';
    const body = `${JSON.stringify(request.body).replace(/\}$/, '')}${JSON.stringify(request.body) === '{}' ? '' : ','} ${odd}}`;
    const response = await product.call(name, { ...request, ...caseSender(tenants, accessCase), body });
    const success = accessCase.refused?.rep ?? operation.status ?? 200;
    expect(response.status).toBe(takesOtherKeys(operation) ? success : 400);
  });
}
