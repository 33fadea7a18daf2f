import { join } from 'node:path';
import { call, type Session } from '../api.ts';
import { writeContactsInto } from '../database-file.ts';
import { pipelineOfEight } from '../dataset.ts';
import { type StartedServer, startHost } from '../local-host.ts';
import { processTree } from '../processes.ts';
import type { Contestant, RacingOrganization, Served } from './contestant.ts';

export interface Switchboard extends Contestant {
  readonly organization: RacingOrganization;
}

/** As many as there are connections by default. */
const adminCount = 16;

/** Starts the local host on a new data directory, with an organization without contacts. */
export async function startSwitchboard(dataDir: string): Promise<Switchboard> {
  const start = () => startHost(dataDir, { environment: { SEED: 'none', LOG: 'json' } });
  let host = await start();
  try {
    const { organization, tokens } = await newOrganization(host.url);
    return {
      name: 'Switchboard',
      ...{ organization, tokens },
      url: () => host.url,
      processes: () => processesOf(host),
      async load(contacts) {
        await host.stop();
        await writeContactsInto(join(dataDir, 'database.sqlite'), organization.organizationId, contacts);
        host = await start();
      },
      stop: () => host.stop(),
    };
  } catch (error) {
    await host.stop();
    throw error;
  }
}

/** Creates all of it through the API. */
async function newOrganization(
  url: string,
): Promise<{ organization: RacingOrganization; tokens: readonly string[] }> {
  const post = <Body>(path: string, body: object, token?: string) =>
    call<Body>(url, { method: 'POST', path, body }, token);
  const register = (index: number, organizationId?: string, token?: string) => {
    const person = { email: `admin${index}@race.example`, password: 'correct horse battery', role: 'ADMIN' };
    const body = {
      ...person,
      firstName: 'Test',
      lastName: 'Person',
      ...(organizationId && { organizationId }),
    };
    return post<Session>('/api/auth/register', body, token);
  };
  const { token, user } = await register(0);
  const { organizationId, id: adminId } = user;
  const tokens = [token];
  while (tokens.length < adminCount) {
    tokens.push((await register(tokens.length, organizationId, token)).token);
  }
  const { data } = await post<{ data: { _id: string; stages: RacingOrganization['stages'] } }>(
    '/api/pipelines',
    pipelineOfEight,
    token,
  );
  const { _id: pipelineId, stages } = data;
  return { organization: { organizationId, adminId, pipelineId, stages }, tokens };
}

/** The program of the embedded database. */
const databaseName = 'dynoxide';

/** The processes of the database, and all others: that of the host, and those that it has started. */
function processesOf({ pid }: StartedServer): Served {
  const { database = [], server = [] } = Object.groupBy(processTree(pid), ({ name }) =>
    name === databaseName ? 'database' : 'server',
  );
  return { server: server.map((one) => one.pid), database: database.map((one) => one.pid) };
}
