import * as z from 'zod/mini';
import { scheduleAction } from '../../shared/events/due-entry.ts';
import { keyAccesses, reaches, userHere } from '../../shared/kernel/caller.ts';
import { Failure, notFound } from '../../shared/kernel/failure.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { ok } from '../../shared/kernel/schemas/envelope.ts';
import { Id, Name } from '../../shared/kernel/schemas/fields.ts';
import { timestamp } from '../../shared/kernel/time.ts';
import {
  type ApiKey,
  apiKeyCountKey,
  apiKeyGuardKeys,
  apiKeyKey,
  apiKeySecretKey,
} from '../../shared/organizations/api-key.ts';
import { apiKeyPrefix, newApiKeySecret } from '../../shared/organizations/api-key-secret.ts';
import { userKey } from '../../shared/organizations/user.ts';
import { comparable, IsoMoment, parseMoment } from '../../shared/organizations/written-times.ts';
import { readZoneFor } from '../../shared/organizations/zone-for.ts';
import { toDigest } from '../../shared/table/digest.ts';
import { issuedResponse, toApiKeyResponse } from './model/api-key-response.ts';
import { expiryNotice } from './model/expiry-notice.ts';
import { groups } from './model/groups.ts';
import { countKeyAction, keyLimit } from './model/key-limit.ts';
import { logKeyAction } from './model/log-key.ts';

export default operation({
  route: 'POST /api/api-keys',
  summary: 'Create an API key',
  description:
    'A key is sent as `Authorization: Bearer sbk_…` wherever an access token is. It acts as a user, with what that user may see at that moment, and with the lower of the role that the user has and the role that the user had when the key was made. Nobody may create a key for a user with a higher role. The response is the only one that shows the key. An organization has at most 100 keys; the next is a 409. [API keys](#/API%20keys) tells what a key may do.',
  family: 'plain',
  minimumRole: 'ADMIN',
  status: 201,
  body: z.object({
    name: Name,
    userId: z.optional(Id),
    access: z.enum(keyAccesses),
    groups: z.optional(z.array(z.enum(groups)).check(z.minLength(1), z.maxLength(groups.length))),
    expiresAt: z.optional(IsoMoment),
  }),
  descriptions: {
    name: 'What the key is for.',
    userId: 'The user that it acts as; you, unless stated.',
    access:
      '`read` allows `GET`, `HEAD` and the operations that only read, such as the board; `write` everything.',
    groups: 'The groups of this documentation that it may use; all unless stated.',
    expiresAt:
      'When it stops working; never unless stated. Without an offset, in the time zone of the organization.',
  },
  output: issuedResponse(),
  failures: ['NOT_FOUND', 'CONFLICT'],
  limits: [keyLimit],
  example: { body: { name: 'Reporting', access: 'read', groups: ['Contacts', 'Calls'] } },
  uses: { table: 'write', identity: 'write', platform: 'write' },
  async run({ body }, { table, identity, platform, caller, now, newId }) {
    const userId = body.userId ?? userHere(caller);
    if (userId === null) {
      throw new Failure('INVALID', 'userId is required: you are no user of this organization.');
    }
    const zone = await readZoneFor(table, body.expiresAt);
    const expiresAt = body.expiresAt === undefined ? null : comparable(parseMoment(body.expiresAt, zone));
    if (expiresAt !== null && expiresAt <= timestamp(now)) {
      throw new Failure('INVALID', 'expiresAt must be in the future.');
    }
    const secret = newApiKeySecret();
    const digest = toDigest(secret);
    const apiKeyId = newId();
    return table.optimistically(async () => {
      const [user, count] = await Promise.all([
        table.read(userKey(userId)),
        table.read(apiKeyCountKey(), { consistent: false }),
      ]);
      if (user === undefined) {
        throw notFound('User');
      }
      if (!reaches(caller.role, user.data.accessRole)) {
        throw new Failure('FORBIDDEN', 'You may not create a key for a user whose role is above your own.');
      }
      if (user.data.disabled) {
        throw new Failure('CONFLICT', 'The user is disabled.');
      }
      const key: ApiKey = {
        _id: apiKeyId,
        name: body.name,
        prefix: apiKeyPrefix(secret),
        userId,
        role: user.data.accessRole,
        access: body.access,
        groups: body.groups === undefined || body.groups.length === 0 ? null : [...new Set(body.groups)],
        expiresAt,
        createdBy: caller.userId,
        createdAt: timestamp(now),
        secrets: [{ digest }],
      };
      const notice = expiryNotice(caller.organizationId, key);
      await table.commit([
        table.add(apiKeyKey(apiKeyId), key),
        ...apiKeyGuardKeys(apiKeyId).map((guard) => table.add(guard, {})),
        identity.add(apiKeySecretKey(digest), { organizationId: caller.organizationId, apiKeyId }),
        countKeyAction(table, 1, Number(count?.attributes?.used ?? 0)),
        logKeyAction(table, 'created', apiKeyId, { now, newId }),
        ...(notice === undefined ? [] : [scheduleAction(platform, notice)]),
        table.require(user.key, { ifVersion: user.version }),
      ]);
      return ok({ message: 'API key created', data: toApiKeyResponse(key, null), key: secret });
    });
  },
});
