// `npm run costs`: writes what a request of each operation consumes of the table.
import { writeFile } from 'node:fs/promises';
import { stopSharedDatabase } from '../harness/database.ts';
import { startTenants } from '../harness/tenants.ts';
import { measureCosts } from './costs.ts';

const tenants = await startTenants();
try {
  const lines = Object.entries(await measureCosts(tenants)).map(
    ([name, { roundTrips, readUnits, writeUnits }]) =>
      `  "${name}": { "roundTrips": ${roundTrips}, "readUnits": ${readUnits}, "writeUnits": ${writeUnits} }`,
  );
  await writeFile(new URL('./costs.json', import.meta.url), `{\n${lines.join(',\n')}\n}\n`);
} finally {
  await tenants.product.stop();
  await stopSharedDatabase();
}
