import * as z from 'zod/mini';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { Failure, notFound } from '../../shared/kernel/failure.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { ok } from '../../shared/kernel/schemas/envelope.ts';
import { after, hour, timestamp } from '../../shared/kernel/time.ts';
import {
  apiKeyGuardKeys,
  apiKeyKey,
  apiKeySecretKey,
  apiKeyUseKey,
} from '../../shared/organizations/api-key.ts';
import { apiKeyPrefix, newApiKeySecret } from '../../shared/organizations/api-key-secret.ts';
import { toDigest } from '../../shared/table/digest.ts';
import { issuedResponse, toApiKeyResponse } from './model/api-key-response.ts';
import { logKeyAction } from './model/log-key.ts';

export default operation({
  route: 'POST /api/api-keys/{id}/rotate',
  summary: 'Give an API key a new secret',
  description:
    'The key keeps its id and what it may do. The secret before works for `overlapHours` more, and at once no longer with 0; one that still worked from an earlier rotation stops now, so that at most two work. An expired key is refused with 409.',
  family: 'plain',
  minimumRole: 'ADMIN',
  body: z.object({ overlapHours: z._default(z.int().check(z.minimum(0), z.maximum(168)), 24) }),
  descriptions: { overlapHours: 'For how many hours the secret before still works, 0 to 168.' },
  output: issuedResponse(),
  failures: ['NOT_FOUND', 'CONFLICT'],
  example: { path: { id: demo.apiKey }, body: { overlapHours: 24 } },
  uses: { table: 'write', identity: 'write' },
  async run({ path, body }, { table, identity, caller, now, newId }) {
    const secret = newApiKeySecret();
    const digest = toDigest(secret);
    const until = timestamp(after(now, body.overlapHours * hour));
    return table.optimistically(async () => {
      const [stored, use] = await Promise.all([
        table.read(apiKeyKey(path.id)),
        identity.read(apiKeyUseKey(caller.organizationId, path.id), { consistent: false }),
      ]);
      if (stored === undefined) {
        throw notFound('API key');
      }
      const { expiresAt, secrets } = stored.data;
      if (expiresAt !== null && expiresAt <= timestamp(now)) {
        throw new Failure('CONFLICT', 'The API key has expired. Create another one.');
      }
      const kept = body.overlapHours === 0 ? [] : secrets.slice(0, 1).map((one) => ({ ...one, until }));
      const data = {
        ...stored.data,
        prefix: apiKeyPrefix(secret),
        secrets: [{ digest }, ...kept],
      };
      await table.commit([
        table.replace(stored, data),
        logKeyAction(table, 'rotated', path.id, { now, newId }),
        ...apiKeyGuardKeys(path.id).map((guard) =>
          table.updateAction(guard, {
            update: 'SET version = :version',
            values: { version: stored.version + 1 },
          }),
        ),
        identity.add(apiKeySecretKey(digest), { organizationId: caller.organizationId, apiKeyId: path.id }),
        ...secrets.slice(kept.length).map((replaced) => identity.delete(apiKeySecretKey(replaced.digest))),
      ]);
      return ok({ message: 'API key rotated', data: toApiKeyResponse(data, use), key: secret });
    });
  },
});
