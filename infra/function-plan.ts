import { dueKinds } from '../shared/events/due-entry.ts';
import type { DueOperation } from '../shared/events/due-operation.ts';
import type { QueueName } from '../shared/kernel/message-queue.ts';
import type { Operation, Uses } from '../shared/kernel/operation.ts';
import type { ScheduleOperation, StreamOperation, StreamReader } from '../shared/kernel/trigger.ts';
import { portUses, stepPortUses } from '../shared/kernel/uses.ts';
import { reading, type UsedPort, usedPorts } from './ports.ts';
import { type AnyOperation, ofKind, type Registered } from './registry.ts';

/** Runs a function: the trigger of its operations, or a deferred request. */
export type Trigger = TriggeredOperation['kind'] | 'deferred';

/** An operation with a trigger of its own; the clock runs the others. */
export type TriggeredOperation = Exclude<AnyOperation, DueOperation>;

/** A Lambda function with its operations. */
export interface FunctionPlan<O extends AnyOperation = AnyOperation, Others extends AnyOperation = O> {
  readonly name: string;
  readonly summary: string;
  readonly trigger: Trigger;
  /**
   * All are of one kind, and there are several only for a reader of the table's stream and for deferred requests; but one that uses
   * `dueOperations` is followed by the due operations, which it runs.
   */
  readonly operations: readonly [Registered<O>, ...Registered<Others>[]];
  /** The operations that it performs in steps of workflows; only for an operation that uses `stepOperations`. */
  readonly steps?: readonly Registered<Operation>[];
}

/**
 * The functions for these operations: in general one for each. But all operations of a reader of the table's stream share one, all that
 * defer requests share another one for these, and the clock's function runs the due operations.
 */
export function planFunctions(operations: readonly Registered[]): FunctionPlan[] {
  return [
    ...operations.filter(hasFunctionOfItsOwn).map((operation) => functionOfItsOwn(operation, operations)),
    ...schedules(operations),
    ...streamReaders(operations),
    ...deferredRequests(operations),
  ];
}

function hasFunctionOfItsOwn(entry: Registered): entry is Registered<TriggeredOperation> {
  const { kind } = entry.operation;
  return kind !== 'stream' && kind !== 'schedule' && kind !== 'due';
}

/** The function of a single operation, with the same name. `all` are the operations of the product. */
export function functionOfItsOwn<O extends TriggeredOperation>(
  registered: Registered<O>,
  all: readonly Registered[],
): FunctionPlan<O, O | DueOperation> {
  const { name, operation } = registered;
  const due = runsWhatIsDue(registered) ? ofKind(all, 'due') : [];
  const performs = [registered, ...due].some((one) => one.operation.uses.stepOperations !== undefined);
  return {
    ...{ name, summary: operation.summary, trigger: operation.kind, operations: [registered, ...due] },
    ...(performs && { steps: stepOperations(all) }),
  };
}

const runsWhatIsDue = ({ operation }: Registered) => operation.uses.dueOperations !== undefined;

/**
 * The operations that steps of workflows may perform.
 * @throws for one that does not write to the table of the caller's organization, which a step gives it.
 */
export function stepOperations(operations: readonly Registered[]): Registered<Operation>[] {
  const performed = ofKind(operations, 'http').filter(({ operation }) => operation.asStep === true);
  const wrong = performed.find(
    ({ operation }) => operation.uses.table !== 'write' || operation.organization !== undefined,
  );
  if (wrong !== undefined) {
    throw new Error(`${wrong.file} is declared asStep, but does not write to the table of the caller.`);
  }
  return performed;
}

/** A queue's consumer. */
export interface ConsumerPlan {
  readonly queue: QueueName;
  readonly plan: FunctionPlan;
}

/** The consumers of all queues. @throws for a queue that an operation sends to and no operation reads. */
export function queueConsumers(operations: readonly Registered[]): ConsumerPlan[] {
  const consumers: ConsumerPlan[] = [
    ...deferredRequests(operations).map((plan) => ({ queue: 'deferredRequests' as const, plan })),
    ...ofKind(operations, 'queue').map((entry) => ({
      queue: entry.operation.queue,
      plan: functionOfItsOwn(entry, operations),
    })),
    ...ofKind(operations, 'orderedQueue').map((entry) => ({
      queue: entry.operation.queue,
      plan: functionOfItsOwn(entry, operations),
    })),
  ];
  const lost = operations.find(
    ({ operation }) =>
      operation.uses.queue !== undefined && !consumers.some(({ queue }) => queue === operation.uses.queue),
  );
  if (lost !== undefined) {
    throw new Error(`${lost.file} sends to a queue whose messages no operation takes.`);
  }
  return consumers;
}

/**
 * The functions of the schedules. The clock's function also has the due operations.
 * @throws for a kind of due entry that no operation handles, and for due operations that no clock runs.
 */
export function schedules(
  operations: readonly Registered[],
): FunctionPlan<ScheduleOperation, ScheduleOperation | DueOperation>[] {
  const due = ofKind(operations, 'due');
  const all = ofKind(operations, 'schedule');
  const lost = dueKinds.find((kind) => !due.some(({ operation }) => operation.on === kind));
  if (lost !== undefined && all.some(runsWhatIsDue)) {
    throw new Error(`No operation does what is due of the kind "${lost}".`);
  }
  if (due[0] !== undefined && !all.some(runsWhatIsDue)) {
    throw new Error(`${due[0].file} does what is due, but no schedule uses dueOperations.`);
  }
  return all.map((entry) => functionOfItsOwn(entry, operations));
}

/** The function that applies deferred requests, by the operations that deferred them. */
function deferredRequests(operations: readonly Registered[]): FunctionPlan<Operation>[] {
  const [first, ...others] = ofKind(operations, 'http').filter(
    ({ operation }) => operation.defers !== undefined,
  );
  return first === undefined
    ? []
    : [
        {
          name: 'apply-deferred-requests',
          summary: 'Apply requests that could not be applied when they were received',
          trigger: 'deferred',
          operations: [first, ...others],
        },
      ];
}

/** The functions that read the table's stream, each with all operations of its reader; none for a reader without any. */
export function streamReaders(operations: readonly Registered[]): FunctionPlan<StreamOperation>[] {
  const readers: readonly StreamReader[] = ['live', 'background'];
  return readers.flatMap((reader) => {
    const [first, ...others] = ofKind(operations, 'stream').filter(
      ({ operation }) => operation.reader === reader,
    );
    return first === undefined
      ? []
      : {
          name: `${reader}-changes`,
          summary: `Pass changes of the table to its ${reader} operations`,
          trigger: 'stream' as const,
          operations: [first, ...others],
        };
  });
}

/** The ports that an operation gets in a function: the kernel needs none of its own to apply a request that was deferred. */
export function usesIn({ trigger }: Pick<FunctionPlan, 'trigger'>, operation: AnyOperation): Uses {
  return trigger === 'deferred' ? operation.uses : portUses(operation);
}

/** The ports of a function's operations and of the operations that it performs in steps, each once. For a simulation the latter are read-only. */
export function portsOfAll(plan: FunctionPlan): UsedPort[] {
  const { operations, steps = [] } = plan;
  const simulates = operations.some(({ operation }) => operation.uses.stepOperations === 'simulate');
  const performed = steps.flatMap(({ operation }) =>
    usedPorts({ table: 'write', ...stepPortUses(operation) }),
  );
  const declared = operations.flatMap(({ operation }) => usedPorts(usesIn(plan, operation)));
  const ports = [...(simulates ? performed.map(reading) : performed), ...declared];
  return [...new Map(ports.map((port) => [`${port.name}:${port.access}`, port])).values()];
}
