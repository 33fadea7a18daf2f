import type { DueEntry, DueKind } from '../due/due-entry.ts';
import type { Action } from '../table/table.ts';
import type { InvocationScope, Provider } from './ports.ts';
import { type Providers, portsFrom } from './serve/invocation.ts';
import type { DueOperation } from './trigger.ts';

/** A due operation, with its name and the providers of its own ports. */
export interface ServedDueOperation {
  readonly name: string;
  readonly operation: DueOperation;
  readonly providers: Providers;
}

/** Does what is due by the operation for its kind. */
export interface DueOperations {
  /** @param end ends the entry, as an action of the operation's transaction. @returns the outcome. */
  run(entry: DueEntry, end: Action): Promise<string>;
}

/** The port through which the clock runs the due operations, each with its own ports and none with those of another. */
export function provideDueOperations(operations: readonly ServedDueOperation[]): Provider {
  const byKind = new Map<DueKind, ServedDueOperation>(operations.map((one) => [one.operation.on, one]));
  return (scope: InvocationScope): DueOperations => {
    const opened = new Map<DueKind, Record<string, unknown>>();
    return {
      async run(entry, end) {
        const found = byKind.get(entry.kind);
        if (found === undefined) {
          // Nothing is built without an operation for each kind, so a newer deployment wrote it.
          throw new Error(`No operation does what is due of the kind "${entry.kind}"`);
        }
        const { operation, providers } = found;
        const ports = opened.get(entry.kind) ?? portsFrom(providers, operation.uses, scope);
        opened.set(entry.kind, ports);
        return operation.run(entry, { ...ports, now: scope.now, newId: scope.newId, end });
      },
    };
  };
}
