import { chunks } from '../kernel/chunks.ts';
import type { InvocationScope } from '../kernel/ports.ts';
import { unavailable } from '../kernel/transient-errors.ts';
import { anyGuard, apiKeyGuardKey } from '../organizations/api-key.ts';
import { actionsIn } from '../table/dynamodb-actions.ts';
import type { Connection } from '../table/dynamodb-metering.ts';
import { dynamodbWriter } from '../table/dynamodb-writes.ts';
import type { Space } from '../table/key.ts';
import { organizationSpace, type SpacePrefix } from '../table/spaces.ts';
import { type Action, type CommitOptions, type TableWriter, transactionLimit } from '../table/table.ts';

/**
 * Reads and writes one key space. Whatever a caller with an API key writes is a transaction, which also requires that the key is as it was
 * when the request was admitted, so that nothing is written once it has been deleted or replaced.
 */
export function keyedWriter<S extends Space = 'organization'>(
  connection: Connection,
  space: SpacePrefix<S>,
  scope: InvocationScope,
): TableWriter<S> {
  const writer = dynamodbWriter(connection, space, scope);
  if (scope.caller?.key === undefined) {
    return writer;
  }
  const commit = async (actions: readonly Action[], options?: CommitOptions) =>
    writer.commit(
      actions.length === 0 ? actions : [...actions, ...(await keyConditions(connection, scope))],
      options,
    );
  return {
    ...writer,
    commit,

    async deleteMany(keys) {
      for (const some of chunks(keys, transactionLimit)) {
        await commit(some.map((key) => writer.delete(key)));
      }
    },

    async update(key, change) {
      // As any single update: where the effect is a transaction, it only prepares it.
      await commit([writer.updateAction(key, { ...change, draws: undefined })], { isAhead: true });
      // A transaction returns nothing.
      const attributes = (await writer.read(key))?.attributes ?? {};
      scope.meter.draw(...[change.draws?.(attributes) ?? []].flat());
      return attributes;
    },
  };
}

const keyChanged = () => unavailable(new Error('The API key changed during the request'));

/** The condition on the key. It fails, if only for a rotation that leaves the secret valid, with a 503: the next attempt decides. */
async function keyConditions(
  { tableName }: Connection,
  { caller, mayWrite, random }: InvocationScope,
): Promise<Action[]> {
  const ifVersion = (await mayWrite)?.keyVersion;
  if (caller?.key === undefined || ifVersion === undefined) {
    throw new Error('An API key writes only after it was looked at');
  }
  const home = actionsIn(tableName, organizationSpace(caller.homeOrganizationId));
  return [
    home.require(apiKeyGuardKey(caller.key.id, anyGuard(random())), { ifVersion, otherwise: keyChanged }),
  ];
}
