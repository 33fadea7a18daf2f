// `npm run grant-superadmin -- <email>`: makes a registered user a SUPERADMIN, since no operation can make the first one of a deployment.

import { findCredentials } from '../functions/auth/model/credentials.ts';
import { NewEmail } from '../functions/auth/model/email.ts';
import type { Ports } from '../shared/kernel/operation.ts';
import { newInvocation, systemRuntime } from '../shared/kernel/serve/invocation.ts';
import { timestamp } from '../shared/kernel/time.ts';
import { accountNoticeAction } from '../shared/organizations/queued-mail.ts';
import { userKey } from '../shared/organizations/user.ts';
import { userEventAction } from '../shared/organizations/user-event.ts';
import { provideIdentity, provideOrganizations } from '../shared/ports/table.ts';
import { isProgram } from './project.ts';
import { findTarget, inOneLine } from './target.ts';

const uses = { identity: 'write', organizations: 'write' } as const;

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
  const address = NewEmail.safeParse(email);
  if (!address.success) {
    throw new Error(`${email} is not an email address.`);
  }
  const credentials = await findCredentials(identity, address.data);
  if (credentials === undefined) {
    throw new Error(`Nobody has registered with ${email}. Register first.`);
  }
  const { organizationId, userId } = credentials.data;
  const table = organizations(organizationId);
  const [mailId, eventId] = [clock.newId(), clock.newId()];
  await table.optimistically(async () => {
    const user = await table.read(userKey(userId));
    if (user === undefined) {
      throw new Error(`The user with the address ${email} no longer exists.`);
    }
    const raised = { ...user.data, accessRole: 'SUPERADMIN' as const, updatedAt: timestamp(clock.now) };
    const event = { event: 'role-changed', role: raised.accessRole } as const;
    await table.commit([
      table.replace(user, raised),
      userEventAction(table, { userId, changed: ['accessRole'] }, { eventId, now: clock.now }),
      accountNoticeAction(identity, raised, event, mailId, clock.now),
    ]);
  });
}

/** Why the command failed, for a person. */
function problemOf(error: unknown, table: string): string {
  const { name, cause } = error as Error;
  if (name === 'ResourceNotFoundException') {
    return `There is no table ${table} here. Take the output TableName of the deployment, and its region.`;
  }
  return inOneLine(cause ?? error);
}

if (isProgram(import.meta)) {
  const [email] = process.argv.slice(2);
  const { TABLE_NAME: table } = process.env;
  if (email === undefined || table === undefined) {
    console.error(
      'Usage: TABLE_NAME=<output of the deployment> AWS_REGION=<its region> npm run grant-superadmin -- <email>',
    );
    process.exit(1);
  }
  try {
    const { region } = await findTarget('make a SUPERADMIN', process.env);
    process.env.AWS_REGION = region;
    await grantSuperadmin(email, process.env);
    console.log(`${email} is a SUPERADMIN from the next login on.`);
  } catch (error) {
    console.error(problemOf(error, table));
    process.exitCode = 1;
  }
}
