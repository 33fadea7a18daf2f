import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StoredContact } from '../../../shared/contacts/contact.ts';
import { argon2Passwords } from '../../../shared/kernel/auth/passwords.ts';
import { callUntilAvailable } from '../api.ts';
import { timed } from '../figures.ts';
import { figure } from '../table.ts';
import type { Contestant } from './contestant.ts';
import { type Driver, startDriver } from './driver.ts';
import { checksOf, differences, searchesOver } from './expected-boards.ts';
import { emptyOf, type Measured, measure, settled } from './measure.ts';
import { type Organizations, password } from './organizations.ts';
import { nodeHashLogin } from './peer/accounts.ts';
import type { Ground } from './peer/load.ts';
import type { Totals } from './peer/statements.ts';
import { startPeer } from './peer.ts';
import type { Installation } from './postgres.ts';
import { contactsOf, subjectOf } from './request-data.ts';
import type { Subject } from './requests.ts';
import { untilStopped } from './stopping.ts';
import { startSwitchboard } from './switchboard.ts';
import { type Workload, workloads } from './workloads.ts';

export interface RaceWanted {
  readonly contacts: number;
  /** The seconds for each row of the tables. */
  readonly seconds: number;
  readonly connections: readonly number[];
  /** Names of the workloads. */
  readonly workloads: ReadonlySet<string>;
  /** Without one, Switchboard runs alone. */
  readonly postgres: Installation | undefined;
  /** Settings to add to those of PostgreSQL. */
  readonly settings: Readonly<Record<string, string>>;
  log(line: string): void;
}

/** Loads the same contacts into all contestants, checks their responses, and measures. @throws an `Error` for a wrong response. */
export async function race(wanted: RaceWanted): Promise<Measured[]> {
  const { log } = wanted;
  await using ended = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'switchboard-race-'));
  ended.defer(() => rm(directory, { recursive: true, force: true }));
  await chmod(directory, 0o711); // PostgreSQL may run as another user, with a folder of its own in it.
  const chosen = workloads.filter(({ name }) => wanted.workloads.has(name));
  return await untilStopped(run());

  async function run(): Promise<Measured[]> {
    const switchboard = await startSwitchboard(join(directory, 'data'));
    ended.defer(() => switchboard.stop());
    const { organizations } = switchboard;
    const contestants: [Contestant, Totals?][] = [[switchboard]];
    for (const totals of totalsOf(chosen, wanted.postgres)) {
      const peer = await startPeer({
        installation: wanted.postgres as Installation,
        directory: join(directory, totals),
        totals,
        ground: await groundOf(organizations),
        callers: callersOf(organizations),
        settings: wanted.settings,
      });
      ended.defer(() => peer.stop());
      contestants.push([peer, totals]);
    }

    const contacts = contactsOf(organizations, wanted.contacts);
    const driver = startDriver(subjectsOf(contestants, organizations, contacts));
    ended.defer(() => driver.stop());
    const course = { driver, organization: organizations.full, seconds: wanted.seconds };
    const measured: Measured[] = [];
    const measureAll = async (some: readonly Workload[]) => {
      for (const work of some) {
        for (const connections of connectionsOf(work, wanted.connections)) {
          for (const [contestant, totals] of contestants) {
            if (totals === undefined || work.peers.includes(totals)) {
              const one = await measure(course, contestant, work, connections);
              measured.push(one);
              log(lineOf(one));
            }
          }
        }
      }
    };

    await warmUp(driver, contestants);
    await measureAll(chosen.filter(({ isBeforeLoad }) => isBeforeLoad));
    const filled = chosen.filter(({ isBeforeLoad }) => !isBeforeLoad);
    if (filled.length > 0) {
      for (const [contestant] of contestants) {
        const { ms } = await timed(() => contestant.load(contacts));
        log(`${contestant.name}: ${figure(contacts.length)} contacts loaded in ${figure(ms / 1_000, 1)} s`);
      }
      await checkAll(contestants, organizations, contacts, log);
      await measureAll(filled);
    }
    return measured;
  }
}

/** Which peers the workloads need. */
function totalsOf(chosen: readonly Workload[], postgres: Installation | undefined): Totals[] {
  const all = ['counted', 'kept'] as const;
  return postgres === undefined
    ? []
    : all.filter((totals) => chosen.some(({ peers }) => peers.includes(totals)));
}

/** Contestants that are restarted for each request get one connection, however many are wanted. */
function connectionsOf({ cold }: Workload, connections: readonly number[]): readonly number[] {
  return cold === 'restarted' ? [1] : connections;
}

async function groundOf({ full, empty, accounts, configurationId, number }: Organizations): Promise<Ground> {
  const { organizationId } = full;
  const passwordHash = await argon2Passwords().hash(password);
  return {
    organizations: [full, empty],
    accounts: [
      ...[full, empty].map((one) => ({ ...one, userId: one.adminId, role: 'ADMIN', passwordHash })),
      ...accounts.map((one) => ({ ...one, organizationId, role: 'SALES_REP', passwordHash })),
    ],
    configuration: { id: configurationId, organizationId },
    number: { value: number, organizationId, userId: full.adminId },
  };
}

function callersOf({ full, empty }: Organizations) {
  const callerOf = ({ adminId: userId, organizationId }: Organizations['full']) => ({
    userId,
    organizationId,
  });
  return { full: callerOf(full), empty: callerOf(empty) };
}

/** The data of the requests to each contestant. */
function subjectsOf(
  contestants: readonly [Contestant, Totals?][],
  organizations: Organizations,
  contacts: readonly StoredContact[],
): Record<string, Subject> {
  const subject = subjectOf(organizations, contacts);
  const stageIds = organizations.empty.stages.map(({ _id }) => _id);
  return Object.fromEntries(
    contestants.flatMap(([{ name, tokens }, totals]) => [
      [name, { ...subject, ...(totals && { nodeHashLogin }), tokens: tokens.team }],
      [emptyOf(name), { ...subject, tokens: [tokens.empty], stageIds }],
    ]),
  );
}

/** Creates a few contacts in the organization without any, for boards that only warm up the code. */
async function warmUp(driver: Driver, contestants: readonly [Contestant, Totals?][]): Promise<void> {
  for (const [contestant] of contestants) {
    const wanted = { url: contestant.url(), kind: 'create', connections: 4, seconds: 60, most: 40 } as const;
    await driver.drive(emptyOf(contestant.name), wanted);
  }
}

/** Nothing is timed until all contestants have sent the right totals, and the right contacts on the first page. */
async function checkAll(
  contestants: readonly [Contestant, Totals?][],
  { full }: Organizations,
  contacts: readonly StoredContact[],
  log: (line: string) => void,
): Promise<void> {
  const checks = checksOf(full.stages, contacts, searchesOver(contacts));
  for (const [contestant] of contestants) {
    await settled(contestant);
    for (const { name, request, truth } of checks) {
      const body = await callUntilAvailable(contestant.url(), request, contestant.tokens.full);
      const [first] = differences(body, truth);
      if (first !== undefined) {
        throw new Error(`${contestant.name} is wrong in ${name}: ${first}.`);
      }
    }
    const found = checks.map(({ truth }) => Object.values(truth).reduce((sum, { total }) => sum + total, 0));
    log(
      `${contestant.name}: ${found.map((total) => figure(total)).join(', ')} contacts found, as it must be`,
    );
  }
}

function lineOf({ work, contestant, connections, summary, cpu }: Measured): string {
  const rate = `${figure(summary.requestsPerSecond, 1)}/s, p50 ${figure(summary.p50, 1)} ms`;
  return `${work.title}, ${contestant}, ${connections} connections: ${rate}, CPU ${figure(cpu.server, 2)} + ${figure(cpu.database, 2)} ms`;
}
