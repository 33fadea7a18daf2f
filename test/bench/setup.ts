import { assetNames, builtAsset } from '../../infra/bundle/assets.ts';
import { ofKind, operations, type Registered } from '../../infra/registry.ts';
import type { Operation } from '../../shared/kernel/operation.ts';
import { stopSharedDatabase } from '../harness/database.ts';
import { startWorld, type World } from '../harness/world.ts';
import type { FunctionResources } from './kernel.ts';

/** Where the benchmarks run: an organization with users, in its own database. */
export interface Setup {
  readonly world: World;
  readonly resources: FunctionResources;
  readonly https: ReadonlyMap<string, Registered<Operation>>;
  stop(): Promise<void>;
}

export async function startSetup(): Promise<Setup> {
  const world = await startWorld();
  const { tableName, secret } = world.product;
  Object.assign(
    process.env,
    { TABLE_NAME: tableName, SOCKET_URL: 'ws://127.0.0.1:9', NEWCOMER_POLICY: 'open' },
    await world.product.objects.environment(),
  );
  const all = await operations();
  return {
    world,
    resources: {
      secret,
      assets: Object.fromEntries(
        await Promise.all(assetNames.map(async (name) => [name, await builtAsset(name, all)] as const)),
      ),
    },
    https: new Map(ofKind(all, 'http').map((one) => [one.name, one])),
    async stop() {
      await world.product.stop();
      await stopSharedDatabase();
    },
  };
}
