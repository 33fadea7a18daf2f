import { cancelAction } from '../../shared/events/due-entry.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { notFound } from '../../shared/kernel/failure.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { messageResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import {
  apiKeyGuardKeys,
  apiKeyKey,
  apiKeySecretKey,
  apiKeyUseKey,
} from '../../shared/organizations/api-key.ts';
import { expiryNotice } from './model/expiry-notice.ts';
import { countKeyAction } from './model/key-limit.ts';
import { logKeyAction } from './model/log-key.ts';

export default operation({
  route: 'DELETE /api/api-keys/{id}',
  summary: 'Delete an API key',
  description:
    'It stops working at once: a request by it that is under way writes nothing any more, and every later one is a 401.',
  family: 'plain',
  minimumRole: 'ADMIN',
  output: messageResponse(),
  failures: ['NOT_FOUND'],
  example: { path: { id: demo.spareApiKey } },
  uses: { table: 'write', identity: 'write', platform: 'write' },
  async run({ path }, { table, identity, platform, caller, now, newId }) {
    return table.optimistically(async () => {
      const stored = await table.read(apiKeyKey(path.id));
      if (stored === undefined) {
        throw notFound('API key');
      }
      const notice = expiryNotice(caller.organizationId, stored.data);
      await table.commit([
        table.delete(stored.key, { ifVersion: stored.version }),
        ...apiKeyGuardKeys(path.id).map((guard) => table.delete(guard)),
        identity.delete(apiKeyUseKey(caller.organizationId, path.id)),
        ...stored.data.secrets.map(({ digest }) => identity.delete(apiKeySecretKey(digest))),
        countKeyAction(table, -1),
        logKeyAction(table, 'deleted', path.id, { now, newId }),
        ...(notice === undefined ? [] : [cancelAction(platform, notice)]),
      ]);
      return ok({ message: 'API key deleted' });
    });
  },
});
