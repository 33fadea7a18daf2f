// `npm run grant-superadmin -- <email>`: the first SUPERADMIN of a deployment, whom no operation can make.

import { credentialsKey } from '../functions/auth/model/credentials.ts';
import { emailDigest, NewEmail } from '../functions/auth/model/email.ts';
import type { Ports } from '../shared/kernel/operation.ts';
import { newInvocation, systemRuntime } from '../shared/kernel/serve/invocation.ts';
import { timestamp } from '../shared/kernel/time.ts';
import { userKey } from '../shared/organizations/user.ts';
import { userChangeAction } from '../shared/organizations/user-changes.ts';
import { provideIdentity, provideOrganizations } from '../shared/ports/table.ts';
import { isProgram } from './project.ts';

const uses = { identity: 'read', organizations: 'write' } as const;

/**
 * Makes a registered user a SUPERADMIN, from their next login or refresh on.
 * @throws when nobody has registered with the address.
 */
export async function grantSuperadmin(email: string, environment: NodeJS.ProcessEnv): Promise<void> {
  const { clock, ports } = newInvocation(systemRuntime, {
    identity: provideIdentity(environment),
    organizations: provideOrganizations(environment),
  });
  const { identity, organizations } = ports(uses) as Ports<typeof uses>;
  const credentials = await identity.read(credentialsKey(emailDigest(NewEmail.parse(email))));
  if (credentials === undefined) {
    throw new Error(`Nobody has registered with ${email}. Register first.`);
  }
  const { organizationId, userId } = credentials.data;
  const table = organizations(organizationId);
  await table.optimistically(async () => {
    const user = await table.read(userKey(userId));
    if (user === undefined) {
      throw new Error(`The user with the address ${email} no longer exists.`);
    }
    const raised = { ...user.data, accessRole: 'SUPERADMIN' as const, updatedAt: timestamp(clock.now) };
    await table.commit([table.replace(user, raised), userChangeAction(table)]);
  });
}

if (isProgram(import.meta)) {
  const [email] = process.argv.slice(2);
  if (email === undefined || process.env.TABLE_NAME === undefined) {
    console.error('Usage: TABLE_NAME=<output of the deployment> npm run grant-superadmin -- <email>');
    process.exit(1);
  }
  await grantSuperadmin(email, process.env);
  console.log(`${email} is a SUPERADMIN from the next login on.`);
}
