import { stopSharedDatabase } from '../harness/database.ts';
import { startWorld, type World } from '../harness/world.ts';

/** Where the benchmarks run: an organization with users, in its own database. */
export interface Setup {
  readonly world: World;
  stop(): Promise<void>;
}

export async function startSetup(): Promise<Setup> {
  const world = await startWorld();
  return {
    world,
    async stop() {
      await world.product.stop();
      await stopSharedDatabase();
    },
  };
}
