import { randomInt } from 'node:crypto';
import { ulid } from 'ulid';
import type { Caller } from './caller.ts';
import type { Moment, Uses } from './operation.ts';
import { type CallScope, type Consumption, consumptionMeter, type PortName, type Provider } from './ports.ts';

/** Where time, randomness and log lines come from and go to. */
export interface Runtime {
  clock(): Date;
  random(): number;
  log(line: Record<string, unknown>): void;
}

/** A random number with the 32 bits that identifiers and jitter need. */
const secureRandom = () => randomInt(2 ** 32) / 2 ** 32;

export const systemRuntime: Runtime = {
  clock: () => new Date(),
  random: secureRandom,
  // Not the console: Lambda's JSON log format would wrap the line into another one, where no filter finds its fields.
  log: (line) => void process.stdout.write(`${JSON.stringify(line)}\n`),
};

/** The providers of a function, by port. */
export type Providers = Partial<Record<PortName, Provider>>;

export interface Call {
  readonly moment: Moment;
  /** Makes the declared ports; the caller must be verified by then. */
  ports(uses: Uses, caller: Caller | undefined): Record<string, unknown>;
  consumed(): Consumption;
}

export function newCall(runtime: Runtime, providers: Providers): Call {
  const now = runtime.clock();
  const meter = consumptionMeter();
  const moment: Moment = {
    now,
    newId: () => ulid(now.getTime(), runtime.random),
    random: runtime.random,
  };
  return {
    moment,
    ports(uses, caller) {
      const scope: CallScope = { ...moment, caller, meter };
      const ports: Record<string, unknown> = {};
      for (const name of Object.keys(uses) as PortName[]) {
        const provide = providers[name];
        if (provide === undefined) {
          throw new Error(`No provider for the port "${name}"`);
        }
        ports[name] = provide(scope);
      }
      return ports;
    },
    consumed: () => meter.total(),
  };
}

/** What a log line says of an error nobody expected. */
export function described(error: unknown): Record<string, unknown> {
  return error instanceof Error
    ? {
        name: error.name,
        message: error.message,
        stack: error.stack,
        ...(error.cause === undefined ? {} : { cause: described(error.cause) }),
      }
    : { thrown: String(error) };
}
