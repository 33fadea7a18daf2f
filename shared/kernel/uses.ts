import type { Ports, Uses } from './operation.ts';
import type { CallerRecords, Idempotency, PortTypes, RequestLimits } from './ports.ts';

/** The part of an operation, of any kind, that says whether it has a caller. */
interface AnyKind {
  readonly kind: string;
  readonly route?: string;
  readonly uses: Uses;
  readonly minimumRole?: string;
  readonly defers?: unknown;
  readonly share?: unknown;
}

/**
 * The ports of an operation's function: those it declares and the kernel's own. These check the caller's role and the organization
 * that a SUPERADMIN names, for an operation with a caller, keep the response to a request with a key, for one that writes, take the requests that cannot be applied now, for one that defers them, and
 * count requests, for one with a share.
 */
export function portUses(operation: AnyKind): Uses {
  const hasCaller = operation.kind === 'http' && operation.minimumRole !== 'anyone';
  return {
    ...operation.uses,
    ...(hasCaller && { callerRecords: 'check' as const }),
    ...(takesKey(operation) && { idempotency: 'keep' as const }),
    ...(operation.defers !== undefined && { deferredRequests: 'defer' as const }),
    ...(operation.share !== undefined && { rateLimits: 'limit' as const, trialPolicy: 'read' as const }),
  };
}

/**
 * The accesses to ports with which an operation whose method is not GET still changes nothing. A forwarded request may change something,
 * but is checked and kept by itself.
 */
const readingAccesses: ReadonlySet<string> = new Set([
  'read',
  'limit',
  'simulate',
  'storedDocuments',
  'sign',
  'forward',
]);

/** Whether an operation only reads: by its method, or because it declares nothing that it could change. */
export function onlyReads({ route = '', uses }: Pick<AnyKind, 'route' | 'uses'>): boolean {
  return (
    route.startsWith('GET ') ||
    Object.entries(uses).every(([port, access]) => port === 'asset' || readingAccesses.has(access))
  );
}

/** Whether requests of the operation may have an `Idempotency-Key`: those that a caller sends to change something. */
export function takesKey(operation: AnyKind): boolean {
  return operation.kind === 'http' && operation.minimumRole !== 'anyone' && !onlyReads(operation);
}

/**
 * The ports that an operation gets in a step of a workflow: not `table`, which the step gives it, nor `rateLimits`, which would write something
 * outside the step's transaction, even for a simulation.
 */
export function stepPortUses({ uses: { table: _, rateLimits: __, ...others } }: AnyKind): Uses {
  return others;
}

/** The port that counts requests, from the ports made for `portUses` of an operation with a share; undefined where shares do not count. */
export function sharesIn(ports: Readonly<Record<string, unknown>>): RequestLimits | undefined {
  const { rateLimits, trialPolicy } = ports as Ports<{ rateLimits: 'limit'; trialPolicy: 'read' }>;
  return trialPolicy.shares ? rateLimits : undefined;
}

/** The kernel's port for the caller's records, from the ports made for `portUses`. */
export function callerRecordsIn(ports: Readonly<Record<string, unknown>>): CallerRecords {
  return ports.callerRecords as CallerRecords;
}

/** The kernel's port for the requests of an operation that defers them, from the same ports. */
export function deferredRequestsIn(
  ports: Readonly<Record<string, unknown>>,
): PortTypes['deferredRequests']['defer'] {
  return ports.deferredRequests as PortTypes['deferredRequests']['defer'];
}

/** The kernel's port for requests with a key, from the ports made for `portUses`. */
export function idempotencyIn(ports: Readonly<Record<string, unknown>>): Idempotency {
  return ports.idempotency as Idempotency;
}
