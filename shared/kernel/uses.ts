import type { Uses } from './operation.ts';
import type { CallerRecords } from './ports.ts';

/** The part of an operation, of any kind, that says whether it has a caller. */
interface AnyKind {
  readonly kind: string;
  readonly uses: Uses;
  readonly minimumRole?: string;
}

/**
 * The ports of an operation's function: those it declares, and for an operation with a caller the kernel's own, which checks the
 * caller's role and the organization that a SUPERADMIN names.
 */
export function usesOf(operation: AnyKind): Uses {
  const hasCaller = operation.kind === 'http' && operation.minimumRole !== 'anyone';
  return hasCaller ? { ...operation.uses, callerRecords: 'check' } : operation.uses;
}

/** The kernel's own port, from the ports made for `usesOf`. */
export function callerRecordsIn(ports: Readonly<Record<string, unknown>>): CallerRecords {
  return ports.callerRecords as CallerRecords;
}
