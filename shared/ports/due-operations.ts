import type { DueKind } from '../events/due-entry.ts';
import type { DueOperation, DueOperations } from '../events/due-operation.ts';
import type { InvocationScope, Provider } from '../kernel/ports.ts';
import { type Providers, portsFrom } from '../kernel/serve/invocation.ts';

/** A due operation, with its name, what it does and the providers of its own ports. */
export interface ServedDueOperation {
  readonly name: string;
  readonly on: DueKind;
  /** Loads the operation when something of its kind is first due. */
  load(): Promise<DueOperation>;
  readonly providers: Providers;
}

/** The port through which the due operations are run, each with its own ports and none with those of another. */
export function provideDueOperations(operations: readonly ServedDueOperation[]): Provider {
  const byKind = new Map<DueKind, ServedDueOperation>(
    operations.map((operation) => [operation.on, operation]),
  );
  return (scope: InvocationScope): DueOperations => {
    const opened = new Map<DueKind, Record<string, unknown>>();
    return {
      async run(entry, end) {
        const found = byKind.get(entry.kind);
        if (found === undefined) {
          // Nothing is built without an operation for each kind, so a newer deployment wrote it.
          throw new Error(`No operation does what is due of the kind "${entry.kind}"`);
        }
        const operation = await found.load();
        const { providers } = found;
        const ports = opened.get(entry.kind) ?? portsFrom(providers, operation.uses, scope);
        opened.set(entry.kind, ports);
        const { now, newId, deadline } = scope;
        return operation.run(entry, { ...ports, now, newId, deadline, end });
      },
    };
  };
}
