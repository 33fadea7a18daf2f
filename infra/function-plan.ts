import type { StreamOperation, StreamReader } from '../shared/kernel/trigger.ts';
import { usesOf } from '../shared/kernel/uses.ts';
import { portsOf, type UsedPort } from './ports.ts';
import { type AnyOperation, ofKind, type Registered } from './registry.ts';

/** A Lambda function with its operations. */
export interface FunctionPlan<O extends AnyOperation = AnyOperation> {
  readonly name: string;
  readonly summary: string;
  /** All of one kind; several only for a reader of the table's stream. */
  readonly operations: readonly [Registered<O>, ...Registered<O>[]];
}

/** The functions for these operations: one for each, but one for all that belong to the same reader of the table's stream. */
export function functionsOf(operations: readonly Registered[]): FunctionPlan[] {
  return [
    ...operations.filter(({ operation }) => operation.kind !== 'stream').map(functionOfItsOwn),
    ...streamReaders(operations),
  ];
}

/** The function of a single operation, with the same name. */
export function functionOfItsOwn<O extends AnyOperation>(registered: Registered<O>): FunctionPlan<O> {
  const { name, operation } = registered;
  return { name, summary: operation.summary, operations: [registered] };
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
          operations: [first, ...others],
        };
  });
}

/** The ports of a function's operations, each once. */
export function portsOfAll({ operations }: FunctionPlan): UsedPort[] {
  const ports = operations.flatMap(({ operation }) => portsOf(usesOf(operation)));
  return [...new Map(ports.map((port) => [`${port.name}:${port.access}`, port])).values()];
}
