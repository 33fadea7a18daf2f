import { stopSharedDatabase } from '../harness/database.ts';
import { startTenants, type Tenants } from '../harness/tenants.ts';

/** Where the benchmarks run: an organization with users, in its own database. */
export interface Setup {
  readonly tenants: Tenants;
  stop(): Promise<void>;
}

export async function startSetup(): Promise<Setup> {
  const tenants = await startTenants();
  return {
    tenants,
    async stop() {
      await tenants.product.stop();
      await stopSharedDatabase();
    },
  };
}
