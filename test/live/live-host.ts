import { randomUUID } from 'node:crypto';
import { startHost } from '../../infra/local/host.ts';
import { openTable } from '../../infra/local/seed/connection.ts';
import type { Role } from '../../shared/kernel/caller.ts';
import { newInvocation, systemRuntime } from '../../shared/kernel/invocation.ts';
import type { ClockAndIds } from '../../shared/kernel/operation.ts';
import type { TableWriter } from '../../shared/table/table.ts';
import { assembly } from '../harness/assembly.ts';
import { openSocket, type SocketClient } from './socket-client.ts';

export interface User {
  id: string;
  organizationId: string;
  token: string;
  socketToken: string;
  refreshToken: string;
}

/** The product on the local host, as a client finds it. */
export interface LiveHost {
  /** Of the HTTP API. */
  readonly url: string;
  /** Calls the HTTP API; the body of the answer, whose status must be one of success. */
  // biome-ignore lint/suspicious/noExplicitAny: an answer is whatever JSON the product sent.
  call(route: string, user?: User, body?: unknown): Promise<any>;
  /** Registers an organization with its first user, an ADMIN. */
  newOrganization(): Promise<User>;
  newColleague(admin: User, role?: Role): Promise<User>;
  /** Opens a connection of a user, or with any token. */
  open(token: User | string | undefined): Promise<SocketClient>;
  /** Lets run what runs by the clock, each once at once. */
  startSchedules(): void;
  /** Straight to the table, for what no operation does yet. */
  tableOf(user: User): { table: TableWriter; moment: ClockAndIds };
  stop(): Promise<void>;
}

export async function startLiveHost(): Promise<LiveHost> {
  const host = await startHost({ assembly: await assembly(), port: 0 });
  const table = openTable(host);

  const call: LiveHost['call'] = async (route, user, body) => {
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
    url: host.url,
    call,
    newOrganization: () => signUp('ADMIN'),
    newColleague: (admin, role = 'SALES_REP') => signUp(role, admin),
    open: (token) => openSocket(host.socketUrl, typeof token === 'object' ? token.socketToken : token),
    startSchedules: host.startSchedules,
    tableOf: ({ organizationId }) => ({
      moment: newInvocation(systemRuntime, {}).clock,
      table: table.organization(organizationId),
    }),
    async stop() {
      table[Symbol.dispose]();
      await host.stop();
    },
  };
}
