import { type Interface, interfaceAt } from './listening.ts';

/** What a person has chosen for the local run. README.md has the settings. */
export interface Options {
  readonly port: number;
  readonly on: Interface;
  /** Of the object store. */
  readonly objectsPort: number;
  readonly dataDir: string;
  /** Begin with an empty data directory. */
  readonly fresh: boolean;
  /** With demo data. */
  readonly demo: boolean;
  /** Of everybody who can log in at first, if not the usual one. */
  readonly password: string | undefined;
  /** Log lines as functions print them. */
  readonly logsJson: boolean;
}

export const usage = `Usage: npm run dev [-- --fresh]     or: npm run dev:fresh

  --fresh        begin with an empty data directory

  PORT=3000      of HTTP and WebSocket; 0 takes any free one
  HOST=127.0.0.1 the address to listen on; 0.0.0.0 for phones and containers
  PUBLIC_HOST=   the name that clients know this machine by, if not HOST
  OBJECTS_PORT=0 of the object store, which browsers upload to; 0 takes any free one
  DATA_DIR=.local  where everything is kept
  SEED=none      no demo data
  SEED_PASSWORD= of the users that are there at first
  LOG=json       log lines for machines`;

/** What the command line asks for in place of the product, or a mistake in it: the usage is all there is to say. */
export class UsageRequest extends Error {
  /** Of the process. */
  readonly exitCode: 0 | 2;

  constructor(complaint?: string) {
    super(complaint === undefined ? usage : `${complaint}\n\n${usage}`);
    this.exitCode = complaint === undefined ? 0 : 2;
  }
}

/** @throws an `Error` with a sentence for a setting that means nothing, a `UsageRequest` for such an argument. */
export function readOptions(args: string[], environment: NodeJS.ProcessEnv): Options {
  const { fresh } = flagsOf(args);
  const { HOST = '127.0.0.1', PUBLIC_HOST, DATA_DIR = '.local', SEED, SEED_PASSWORD, LOG } = environment;
  if (LOG !== undefined && LOG !== 'json')
    throw new Error(`LOG=${LOG} is not known: set it to json, or not at all.`);
  return {
    port: portOf('PORT', environment.PORT ?? '3000'),
    on: interfaceAt(HOST, PUBLIC_HOST),
    objectsPort: portOf('OBJECTS_PORT', environment.OBJECTS_PORT ?? '0'),
    dataDir: DATA_DIR,
    fresh,
    demo: SEED !== 'none',
    password: SEED_PASSWORD,
    logsJson: LOG === 'json',
  };
}

function flagsOf(args: string[]): { fresh: boolean } {
  const unknown = args.find((argument) => !['--fresh', '--help'].includes(argument));
  if (unknown !== undefined) throw new UsageRequest(`${unknown} is not an argument that this command takes.`);
  if (args.includes('--help')) throw new UsageRequest();
  return { fresh: args.includes('--fresh') };
}

function portOf(setting: string, text: string): number {
  const port = Number(text);
  if (text !== '' && Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new Error(
    `${setting}=${text} is not a port: it must be a number from 0 to 65535, 0 for any free one.`,
  );
}
