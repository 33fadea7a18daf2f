import { randomUUID } from 'node:crypto';
import { type Host, startHost } from '../../infra/local/host.ts';
import { openTable } from '../../infra/seed/connection.ts';
import type { Role } from '../../shared/kernel/caller.ts';
import { newInvocation, systemRuntime } from '../../shared/kernel/serve/invocation.ts';
import { clientFor, loadClient } from '../client/loaded-client.ts';
import { assembly } from '../harness/assembly.ts';
import type { Json } from '../harness/json.ts';
import { openSocket } from './socket-client.ts';

export interface User {
  id: string;
  organizationId: string;
  token: string;
  socketToken: string;
  refreshToken: string;
}

export type LiveHost = Awaited<ReturnType<typeof startLiveHost>>;

/** The product on the local host, as a client finds it. */
export async function startLiveHost() {
  return hostClient(await startHost({ assembly: await assembly(), port: 0 }));
}

/** A client of a host, which ends with it. */
export function hostClient(host: Host) {
  const table = openTable(host);

  const call = async (route: string, user?: User, body?: unknown): Promise<Json> => {
    const [method = '', path = ''] = route.split(' ');
    const response = await fetch(`${host.url}${path}`, {
      method,
      headers: user === undefined ? {} : { authorization: `Bearer ${user.token}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) {
      throw new Error(`${route} answered ${response.status}: ${text}`);
    }
    return JSON.parse(text);
  };

  const signUp = async (role: Role, admin?: User): Promise<User> => {
    const email = `${randomUUID()}@example.com`;
    const { user, token, socketToken, refreshToken } = await call('POST /api/auth/register', admin, {
      email,
      password: 'correct horse battery',
      firstName: 'Test',
      lastName: 'Person',
      role,
      ...(admin && { organizationId: admin.organizationId }),
    });
    return { id: user.id, organizationId: user.organizationId, token, socketToken, refreshToken };
  };

  return {
    /** The address of the HTTP API. */
    url: host.url,
    /** Calls the HTTP API; the body of the answer, whose status must be one of success. */
    call,
    /** Registers an organization with its first user, an ADMIN. */
    newOrganization: () => signUp('ADMIN'),
    newColleague: (admin: User, role: Role = 'SALES_REP') => signUp(role, admin),
    /** The typed client of a user, or of a program by its API key. */
    as: async (user: User | string) => {
      const client = await loadClient(host.url);
      return typeof user === 'string'
        ? client.createClient({ baseUrl: host.url, apiKey: user })
        : clientFor(client, host, user);
    },
    /** Opens a connection of a user, or with any token. */
    open: (token: User | string | undefined) =>
      openSocket(host.socketUrl, typeof token === 'object' ? token.socketToken : token),
    /** The environment of a function. */
    functionEnvironment: host.functionEnvironment,
    /** Lets run what runs by the clock, each once at once. */
    startSchedules: host.startSchedules,
    /** Straight to the table, for what no operation does yet. */
    tableOf: ({ organizationId }: User) => ({
      moment: newInvocation(systemRuntime, {}).clock,
      table: table.organization(organizationId),
    }),
    async stop() {
      table[Symbol.dispose]();
      await host.stop();
    },
  };
}
