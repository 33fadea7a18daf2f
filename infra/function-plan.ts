import { dueKinds } from '../shared/due/due-entry.ts';
import type { QueueName } from '../shared/kernel/message-queue.ts';
import type { Operation } from '../shared/kernel/operation.ts';
import type {
  DueOperation,
  ScheduleOperation,
  StreamOperation,
  StreamReader,
} from '../shared/kernel/trigger.ts';
import { usesOf } from '../shared/kernel/uses.ts';
import { portsOf, type UsedPort } from './ports.ts';
import { type AnyOperation, ofKind, type Registered } from './registry.ts';

/** What makes a function run: that which runs its operations, or a request that one of them kept. */
export type Trigger = TriggeredOperation['kind'] | 'kept';

/** An operation that something triggers; the others are run by the clock. */
export type TriggeredOperation = Exclude<AnyOperation, DueOperation>;

/** A Lambda function with its operations. */
export interface FunctionPlan<O extends AnyOperation = AnyOperation, Others extends AnyOperation = O> {
  readonly name: string;
  readonly summary: string;
  readonly trigger: Trigger;
  /**
   * All of one kind; several only for a reader of the table's stream and for kept requests. Those after a schedule are the due operations
   * that it runs.
   */
  readonly operations: readonly [Registered<O>, ...Registered<Others>[]];
}

/**
 * The functions for these operations: one for each, but one for all that belong to the same reader of the table's stream, one more for
 * all that keep requests, and none for due operations, which the clock's function runs.
 */
export function functionsOf(operations: readonly Registered[]): FunctionPlan[] {
  return [
    ...operations.filter(hasFunctionOfItsOwn).map(functionOfItsOwn),
    ...schedules(operations),
    ...streamReaders(operations),
    ...keptRequests(operations),
  ];
}

function hasFunctionOfItsOwn(one: Registered): one is Registered<TriggeredOperation> {
  const { kind } = one.operation;
  return kind !== 'stream' && kind !== 'schedule' && kind !== 'due';
}

/** The function of a single operation, with the same name. */
export function functionOfItsOwn<O extends TriggeredOperation>(registered: Registered<O>): FunctionPlan<O> {
  const { name, operation } = registered;
  return { name, summary: operation.summary, trigger: operation.kind, operations: [registered] };
}

/** A queue's consumer. */
export interface ConsumerPlan {
  readonly queue: QueueName;
  readonly plan: FunctionPlan;
}

/** The consumers of all queues. @throws for a queue that an operation sends to and none takes messages from. */
export function queueConsumers(operations: readonly Registered[]): ConsumerPlan[] {
  const consumers: ConsumerPlan[] = [
    ...keptRequests(operations).map((plan) => ({ queue: 'keptRequests' as const, plan })),
    ...ofKind(operations, 'queue').map((one) => ({
      queue: one.operation.queue,
      plan: functionOfItsOwn(one),
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
 * The functions of the schedules. That of the clock has the due operations, too.
 * @throws for a kind of what is due that no operation takes, and for due operations that no clock runs.
 */
export function schedules(
  operations: readonly Registered[],
): FunctionPlan<ScheduleOperation, ScheduleOperation | DueOperation>[] {
  const due = ofKind(operations, 'due');
  const all = ofKind(operations, 'schedule');
  const isClock = ({ operation }: Registered) => operation.uses.dueOperations !== undefined;
  const lost = dueKinds.find((kind) => !due.some(({ operation }) => operation.on === kind));
  if (lost !== undefined && all.some(isClock)) {
    throw new Error(`No operation does what is due of the kind "${lost}".`);
  }
  if (due[0] !== undefined && !all.some(isClock)) {
    throw new Error(`${due[0].file} does what is due, but no schedule uses dueOperations.`);
  }
  return all.map((one) => ({
    ...functionOfItsOwn(one),
    operations: isClock(one) ? [one, ...due] : [one],
  }));
}

/** The function that applies kept requests, by the operations that kept them. */
function keptRequests(operations: readonly Registered[]): FunctionPlan<Operation>[] {
  const [first, ...others] = ofKind(operations, 'http').filter(
    ({ operation }) => operation.keeps !== undefined,
  );
  return first === undefined
    ? []
    : [
        {
          name: 'apply-kept-requests',
          summary: 'Apply requests that could not be applied when they were received',
          trigger: 'kept',
          operations: [first, ...others],
        },
      ];
}

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
          summary: `Tell changes of the table to its ${reader} operations`,
          trigger: 'stream' as const,
          operations: [first, ...others],
        };
  });
}

/** The ports of a function's operations, each once. */
export function portsOfAll({ operations }: FunctionPlan): UsedPort[] {
  const ports = operations.flatMap(({ operation }) => portsOf(usesOf(operation)));
  return [...new Map(ports.map((port) => [`${port.name}:${port.access}`, port])).values()];
}
