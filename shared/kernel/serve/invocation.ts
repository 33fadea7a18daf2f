import { randomInt } from 'node:crypto';
import { callingActor, type Origin, systemActor } from '../actor.ts';
import type { Caller } from '../caller.ts';
import { type Deadline, noDeadline } from '../deadline.ts';
import { newIdAt } from '../id-at.ts';
import type { LimitUse } from '../limit-policy.ts';
import type { ClockAndIds, Uses } from '../operation.ts';
import {
  type Consumption,
  consumptionMeter,
  type InvocationScope,
  type PortName,
  type Provider,
  type RunWrites,
  type Standing,
} from '../ports.ts';

/** The clock, the source of randomness, and the log. */
export interface Runtime {
  clock(): Date;
  random(): number;
  log(line: Record<string, unknown>): void;
}

/** A random number in [0, 1) with 32 bits, enough for identifiers and jitter. */
const secureRandom = () => randomInt(2 ** 32) / 2 ** 32;

export const systemRuntime: Runtime = {
  clock: () => new Date(),
  random: secureRandom,
  // Not the console: Lambda's JSON log format would wrap the line into another one, where no filter finds its fields. With a time,
  // because Lambda takes a line without one for information, whatever its level. Source: Lambda, "Log-level filtering".
  log: (line) =>
    void process.stdout.write(`${JSON.stringify({ timestamp: new Date().toISOString(), ...line })}\n`),
};

export type Providers = Partial<Record<PortName, Provider>>;

/** One run of a function. */
export interface Invocation {
  /** Every operation gets these beside its ports. */
  readonly clock: ClockAndIds;
  /**
   * Creates the declared ports, after the caller was verified. `organizationId` binds the port `table`; it is the caller's unless
   * the path names another. Their writes wait for `mayWrite`, and go through `writes`.
   */
  ports(
    uses: Uses,
    caller?: Caller,
    organizationId?: string,
    mayWrite?: Promise<Standing>,
    writes?: RunWrites,
  ): Record<string, unknown>;
  /** States the origin of what later ports write, for callers without claims: the service itself unless stated. */
  comesFrom(origin: Origin): void;
  /** Adds fields to the log line. */
  note(fields: Record<string, unknown>): void;
  /** The fields added so far. */
  readonly notes: Readonly<Record<string, unknown>>;
  readonly deadline: Deadline;
  consumed(): Consumption;
  /** What is left of the limits that it has drawn on. */
  drawn(): readonly LimitUse[];
}

/** Begins an invocation. Its `now` is the time at which it began, for all that it does. */
export function newInvocation(
  runtime: Runtime,
  providers: Providers,
  deadline: Deadline = noDeadline,
): Invocation {
  const now = runtime.clock();
  const meter = consumptionMeter();
  const clock: ClockAndIds = {
    now,
    newId: () => newIdAt(now, runtime.random),
  };
  const notes: Record<string, unknown> = {};
  let origin: Origin = { actor: systemActor };
  return {
    clock,
    ports(uses, caller, organizationId = caller?.organizationId, mayWrite, writes) {
      const { random } = runtime;
      const scope: InvocationScope = {
        ...{ ...clock, random, caller, organizationId, meter, deadline },
        ...{ mayWrite, writes },
        origin: caller === undefined ? origin : { ...origin, actor: callingActor(caller) },
      };
      return portsFrom(providers, uses, scope);
    },
    comesFrom(stated) {
      origin = stated;
    },
    note: (fields) => void Object.assign(notes, fields),
    notes,
    deadline,
    consumed: () => meter.total(),
    drawn: meter.drawn,
  };
}

/** The declared ports, from their providers. */
export function portsFrom(providers: Providers, uses: Uses, scope: InvocationScope): Record<string, unknown> {
  const ports: Record<string, unknown> = {};
  for (const name of Object.keys(uses) as PortName[]) {
    const provide = providers[name];
    if (provide === undefined) {
      throw new Error(`No provider for the port "${name}"`);
    }
    ports[name] = provide(scope);
  }
  return ports;
}
