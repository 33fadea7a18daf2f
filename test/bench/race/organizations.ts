import { call, type Session } from '../api.ts';
import { pipelineOfEight } from '../dataset.ts';

interface Stage {
  readonly _id: string;
  readonly name: string;
}

/** An organization with an active pipeline of eight stages. */
export interface RacingOrganization {
  readonly organizationId: string;
  readonly adminId: string;
  readonly email: string;
  readonly token: string;
  readonly pipelineId: string;
  readonly stages: readonly Stage[];
}

export interface Organizations {
  /** The one whose contacts are loaded. */
  readonly full: RacingOrganization;
  /** One without contacts, except those that the race creates. */
  readonly empty: RacingOrganization;
  /** Access tokens of ADMINs of `full`. */
  readonly team: readonly string[];
  /** SALES_REPs of `full`. */
  readonly accounts: readonly { readonly userId: string; readonly email: string }[];
  readonly configurationId: string;
  /** The phone number at which `full` receives text messages. */
  readonly number: string;
}

export const password = 'correct horse battery';
/** As many as there are connections by default. */
const accountCount = 16;

/** Creates all of it through the API. */
export async function newOrganizations(url: string): Promise<Organizations> {
  const [full, empty] = [await newOrganization(url, 'full'), await newOrganization(url, 'empty')];
  const { token, organizationId, adminId } = full;
  const accounts = [];
  const team = [];
  const person = { password, firstName: 'Test', lastName: 'Person', organizationId };
  for (let index = 0; index < accountCount; index += 1) {
    const [rep, admin] = [`rep${index}@race.example`, `admin${index}@race.example`];
    const { user } = await register(url, { ...person, email: rep, role: 'SALES_REP' }, token);
    accounts.push({ userId: user.id, email: rep });
    team.push((await register(url, { ...person, email: admin, role: 'ADMIN' }, token)).token);
  }
  const configuration = await call<{ data: Stage }>(
    url,
    { method: 'POST', path: '/api/outreach', body: { name: 'Website', source: 'Website' } },
    token,
  );
  const number = '+12025550142';
  await call(
    url,
    {
      method: 'POST',
      path: `/api/organizations/${organizationId}/phone-numbers`,
      body: { userId: adminId, provider: 'twilio', phoneNumber: number },
    },
    token,
  );
  return { full, empty, team, accounts, configurationId: configuration.data._id, number };
}

function register(url: string, body: object, token?: string): Promise<Session> {
  return call(url, { method: 'POST', path: '/api/auth/register', body }, token);
}

async function newOrganization(url: string, name: string): Promise<RacingOrganization> {
  const email = `${name}@race.example`;
  const person = { email, password, firstName: 'Test', lastName: 'Person', role: 'ADMIN' };
  const { token, user } = await register(url, { ...person, organizationName: name });
  const pipeline = await call<{ data: { _id: string; stages: Stage[] } }>(
    url,
    { method: 'POST', path: '/api/pipelines', body: pipelineOfEight },
    token,
  );
  return {
    organizationId: user.organizationId,
    adminId: user.id,
    email,
    token,
    pipelineId: pipeline.data._id,
    stages: pipeline.data.stages,
  };
}
