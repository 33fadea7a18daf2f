import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { callUntilAvailable } from '../api.ts';
import { newestFirst } from '../dataset.ts';
import { timed } from '../figures.ts';
import { generatedContacts } from '../generated-contacts.ts';
import { figure } from '../table.ts';
import type { Contestant, RacingOrganization } from './contestant.ts';
import { type Measured, measure, settle } from './measure.ts';
import { startPeer } from './peer.ts';
import type { Installation } from './postgres.ts';
import { boardRequest, requestsAbout, type Work } from './requests.ts';
import { startSwitchboard } from './switchboard.ts';

export interface RaceWanted {
  readonly contacts: number;
  /** The seconds for each row of the tables. */
  readonly seconds: number;
  readonly connections: readonly number[];
  readonly works: readonly Work[];
  /** Without one, Switchboard runs alone. */
  readonly postgres: Installation | undefined;
  /** Settings to add to those of PostgreSQL. */
  readonly settings: Readonly<Record<string, string>>;
}

/** Loads the same contacts into all contestants, compares their responses, and measures. @throws an `Error` if these differ. */
export async function race(wanted: RaceWanted): Promise<Measured[]> {
  await using ended = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'switchboard-race-'));
  ended.defer(() => rm(directory, { recursive: true, force: true }));
  await chmod(directory, 0o711); // PostgreSQL may run as another user, with a folder of its own in it.
  const switchboard = await startSwitchboard(join(directory, 'data'));
  ended.defer(() => switchboard.stop());
  const { organization } = switchboard;
  const contestants: Contestant[] = [switchboard];
  const { postgres: installation, settings } = wanted;
  if (installation !== undefined) {
    const peer = await startPeer({
      ...{ installation, organization, settings },
      directory: join(directory, 'peer'),
    });
    ended.defer(() => peer.stop());
    contestants.push(peer);
  }

  const contacts = contactsOf(organization, wanted.contacts);
  for (const contestant of contestants) {
    const { ms } = await timed(() => contestant.load(contacts));
    console.log(
      `${contestant.name}: ${figure(contacts.length)} contacts loaded in ${figure(ms / 1_000, 1)} s`,
    );
    await settle(contestant);
  }
  await requireAlike(contestants, contacts[0]?.phoneNumbers[0]?.value.slice(-7) ?? '');
  const requests = new Map(
    contestants.map((contestant) => [contestant, requestsAbout(organization, contacts)]),
  );
  const measured: Measured[] = [];
  for (const work of wanted.works) {
    for (const connections of wanted.connections) {
      for (const [contestant, { [work]: request }] of requests) {
        const about = { connections, seconds: wanted.seconds };
        measured.push(await measure(contestant, work, request, about));
        console.log(`${contestant.name}: ${work} over ${connections} connections measured`);
      }
    }
  }
  return measured;
}

/** Newest first. */
function contactsOf({ organizationId, adminId, pipelineId, stages }: RacingOrganization, count: number) {
  const stageRefs = stages.map(({ _id }) => ({ pipelineId, stageId: _id }));
  const wanted = {
    count,
    organizationId,
    stages: stageRefs,
    users: [adminId],
    seed: 20_260_101,
    now: new Date(),
  };
  return [...generatedContacts(wanted)].sort(newestFirst);
}

/** Nothing is timed until all contestants have sent the same board, and the same contacts for each search. */
async function requireAlike([first, ...others]: readonly Contestant[], digits: string): Promise<void> {
  for (const search of [undefined, 'mar', digits, 'zzqxj']) {
    const boardOf = (contestant: Contestant) =>
      callUntilAvailable<{ data: unknown }>(contestant.url(), boardRequest(search), contestant.tokens[0]);
    const expected = first && (await boardOf(first)).data;
    for (const other of others) {
      if (!isDeepStrictEqual((await boardOf(other)).data, expected)) {
        throw new Error(
          `${other.name} shows another board than ${first?.name} for the search "${search ?? ''}".`,
        );
      }
    }
  }
}
