import type { Uses } from './operation.ts';
import type { PortTypes } from './ports.ts';

/** Of an operation of any kind, what says whether it has a caller. */
interface AnyKind {
  readonly kind: string;
  readonly uses: Uses;
  readonly minimumRole?: string;
}

/**
 * The ports of an operation's function: those that the operation declares, and beside them the kernel's own, by which it checks
 * the organization that a SUPERADMIN names.
 */
export function usesOf(operation: AnyKind): Uses {
  const hasCaller = operation.kind === 'http' && operation.minimumRole !== 'anyone';
  return hasCaller ? { ...operation.uses, callerOrganization: 'check' } : operation.uses;
}

/** The kernel's own port, of ports made for `usesOf`. */
export function callerOrganizationIn(
  ports: Readonly<Record<string, unknown>>,
): PortTypes['callerOrganization']['check'] {
  return ports.callerOrganization as PortTypes['callerOrganization']['check'];
}
