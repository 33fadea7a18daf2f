import { type Interface, interfaceAt } from './listening.ts';

/** The settings of the local run. README.md describes them. */
export interface Options {
  readonly port: number;
  readonly on: Interface;
  /** The port of the object store. */
  readonly objectsPort: number;
  readonly dataDir: string;
  /** Begin with an empty data directory. */
  readonly fresh: boolean;
  /** With demo data. */
  readonly demo: boolean;
  /** The password of everybody who can log in at first, if not the usual one. */
  readonly password: string | undefined;
  /** Log lines as functions print them. */
  readonly logsJson: boolean;
}

export const usage = `Usage: npm run dev [-- --fresh]     or: npm run dev:fresh

  --fresh            begin with an empty data directory

  PORT=3000          port of HTTP and WebSocket; 0 takes any free one
  HOST=127.0.0.1     address to listen on; 0.0.0.0 for phones and containers
  PUBLIC_HOST=       name by which clients know this machine, if not HOST
  OBJECTS_PORT=0     port of the object store, which browsers upload to; 0 takes any free one
  DATA_DIR=.local    where everything is kept
  SEED=none          no demo data
  SEED_PASSWORD=     password of the first users
  LOG=json           log lines for machines
  DYNAMODB_ENDPOINT= the URL of a DynamoDB Local, in place of the embedded database`;

/** The command line asks for help, or has a mistake; the message is the usage. */
export class UsageRequest extends Error {
  /** The exit code of the process. */
  readonly exitCode: 0 | 2;

  constructor(problem?: string) {
    super(problem === undefined ? usage : `${problem}\n\n${usage}`);
    this.exitCode = problem === undefined ? 0 : 2;
  }
}

/** @throws an `Error` with a message for a person for an invalid setting, a `UsageRequest` for an invalid argument. */
export function readOptions(args: string[], environment: NodeJS.ProcessEnv): Options {
  const { fresh } = flagsOf(args);
  // An empty setting counts as absent.
  const setting = (name: string) => environment[name] || undefined;
  const port = portOf('PORT', setting('PORT') ?? '3000');
  const objectsPort = portOf('OBJECTS_PORT', setting('OBJECTS_PORT') ?? '0');
  if (port !== 0 && port === objectsPort) {
    throw new Error(`PORT and OBJECTS_PORT are both ${port}: each needs a port of its own.`);
  }
  return {
    port,
    on: interfaceAt(setting('HOST') ?? '127.0.0.1', setting('PUBLIC_HOST')),
    objectsPort,
    dataDir: setting('DATA_DIR') ?? '.local',
    // npm turns a flag that is not behind `--` into a setting of its own.
    fresh: fresh || setting('npm_config_fresh') === 'true',
    demo: oneOf('SEED', ['none', 'demo'], setting('SEED')) !== 'none',
    password: setting('SEED_PASSWORD'),
    logsJson: oneOf('LOG', ['json'], setting('LOG')) === 'json',
  };
}

function oneOf(name: string, values: readonly string[], value: string | undefined): string | undefined {
  if (value === undefined || values.includes(value)) {
    return value;
  }
  throw new Error(`${name}=${value} is not known: set it to ${values.join(' or ')}, or not at all.`);
}

function flagsOf(args: string[]): { fresh: boolean } {
  const unknown = args.find((argument) => !['--fresh', '--help'].includes(argument));
  if (unknown !== undefined) {
    throw new UsageRequest(`${unknown} is not an argument that this command takes.`);
  }
  if (args.includes('--help')) {
    throw new UsageRequest();
  }
  return { fresh: args.includes('--fresh') };
}

function portOf(setting: string, text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) {
    return port;
  }
  throw new Error(
    `${setting}=${text} is not a port: it must be a number from 0 to 65535, 0 for any free one.`,
  );
}
