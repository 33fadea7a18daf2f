import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import prepareAssembly from '../harness/assembly.ts';
import { startLiveHost } from '../live/live-host.ts';
import { budgets, type Verdict } from './budgets.ts';
import { median, timed } from './figures.ts';
import { figure, textTable } from './table.ts';

/** The times of one request, in milliseconds, for addresses with and without an account. */
interface MeasuredEnumeration {
  readonly name: string;
  readonly known: readonly number[];
  readonly unknown: readonly number[];
}

const rounds = 200;

/** Rounds with the same account from the same network: too few to be throttled. */
const roundsOfOne = 4;

/** Milliseconds after which the consequences of a request are over, so that they are not in the time of the next one. */
const settling = 40;

/** Times, over the gateway of the local host, the requests that must not reveal whether an address has an account. */
export async function measureEnumeration(): Promise<MeasuredEnumeration[]> {
  const removeAssembly = await prepareAssembly();
  const host = await startLiveHost();
  try {
    const questions = [
      {
        name: 'login with a wrong password',
        path: '/api/auth/login',
        status: 401,
        more: { password: 'the wrong password' },
      },
      { name: 'forgotten password', path: '/api/auth/password/forgot', status: 200, more: {} },
    ].map((question) => ({ ...question, known: [] as number[], unknown: [] as number[] }));
    // One after the other: otherwise the emails about forgotten passwords would slow down the logins.
    for (const { path, status, more, ...samples } of questions) {
      let account = '';
      for (let round = 0; round < rounds; round += 1) {
        if (round % roundsOfOne === 0) {
          account = newAddress();
          const person = {
            password: 'correct horse battery',
            firstName: 'Ada',
            lastName: 'Byron',
            role: 'ADMIN',
          };
          await host.call('POST /api/auth/register', undefined, { email: account, ...person });
        }
        // Failed logins from one network are limited; all these addresses are of this machine.
        const localAddress = `127.0.1.${1 + Math.floor(round / roundsOfOne)}`;
        for (const turn of round % 2 === 0 ? turns : turns.toReversed()) {
          const body = { email: turn === 'known' ? account : newAddress(), ...more };
          const { ms, result } = await timed(() => post(`${host.url}${path}`, body, localAddress));
          if (result !== status) {
            throw new Error(`${path} returns ${result} for ${turn} addresses.`);
          }
          samples[turn].push(ms);
          await pause(settling);
        }
      }
    }
    return questions;
  } finally {
    await host.stop();
    await removeAssembly();
  }
}

/** The order, reversed in every other round, so that each follows the other equally often. */
const turns = ['known', 'unknown'] as const;

const newAddress = () => `${randomUUID()}@example.com`;

/** The status of the response, once it has been received completely. */
function post(url: string, body: object, localAddress: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' };
    request(url, { method: 'POST', headers, localAddress, agent: false }, (response) =>
      response.resume().once('end', () => resolve(response.statusCode)),
    )
      .once('error', reject)
      .end(JSON.stringify(body));
  });
}

/** By what share of the shorter time the other one is longer. */
function differenceOf({ known, unknown }: MeasuredEnumeration): number {
  const [shorter = 0, longer = 0] = [median(known), median(unknown)].toSorted((a, b) => a - b);
  return longer / shorter - 1;
}

export function enumerationTable(measured: readonly MeasuredEnumeration[]): string {
  return textTable(
    ['', 'known, p50 ms', 'unknown, p50 ms', 'difference %'],
    measured.map((one) => [
      one.name,
      figure(median(one.known), 2),
      figure(median(one.unknown), 2),
      figure(differenceOf(one) * 100, 1),
    ]),
  );
}

export function enumerationVerdicts(measured: readonly MeasuredEnumeration[]): Verdict[] {
  const { difference } = budgets.enumeration;
  return measured.map((one) => ({
    promise: `${one.name}: as long for an unknown address as for a known one, within ${difference * 100} %`,
    measured: `${figure(differenceOf(one) * 100, 1)} %`,
    kept: differenceOf(one) <= difference,
  }));
}
