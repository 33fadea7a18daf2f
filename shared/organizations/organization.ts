import type { Timestamp } from '../kernel/time.ts';
import type { Key, Range } from '../table/key.ts';

/** Who needs a second factor; `admins` are all with the role ADMIN or above. */
export const factorRequirements = ['nobody', 'admins', 'everybody'] as const;
export type FactorRequirement = (typeof factorRequirements)[number];

/** Clients need these to enforce the organization's idle and renewal policy. Source: specification, "Session configuration". */
export interface SessionConfig {
  enabled: boolean;
  idleTimeoutMinutes: number;
  tokenExpiryHours: number;
  warningTimeMinutes: number;
  idleTrackingEnabled: boolean;
  ssoSilentRenewalEnabled: boolean;
  ssoFallbackBehavior: string;
  passwordSilentRenewalEnabled: boolean;
  passwordFallbackBehavior: string;
  /** Nobody unless set. Clients do not get it with their tokens: the service enforces it. */
  factorRequiredFor?: FactorRequirement;
}

/** Source: decisions 3, "sessionConfig defaults". */
export const defaultSessionConfig: SessionConfig = {
  enabled: true,
  idleTimeoutMinutes: 30,
  tokenExpiryHours: 1,
  warningTimeMinutes: 5,
  idleTrackingEnabled: true,
  ssoSilentRenewalEnabled: true,
  ssoFallbackBehavior: 'redirect',
  passwordSilentRenewalEnabled: true,
  passwordFallbackBehavior: 'logout',
};

/** Who may register: only an administrator registers others, or anyone becomes a SALES_REP. */
export const registrationModes = ['admin_only', 'open'] as const;
export type RegistrationMode = (typeof registrationModes)[number];

export interface Organization {
  _id: string;
  name: string;
  /** The reply to a text message that asks for help; absent if there is none. */
  helpMessage?: string;
  registrationMode: RegistrationMode;
  /** Whether a SALES_REP may export contacts; absent for no. */
  repsMayExport?: boolean;
  sessionConfig: SessionConfig;
  createdAt: Timestamp;
  updatedAt: Timestamp;
}

/** A department. Its members are the users with its id in `departmentIds`. */
export interface Department {
  _id: string;
  organizationId: string;
  name: string;
  createdAt: Timestamp;
  updatedAt: Timestamp;
}

export const organizationKey = (): Key<Organization> => ({ partition: [], sort: ['ORGANIZATION'] });

export const departmentKey = (id: string): Key<Department> => ({ partition: [], sort: ['DEPARTMENT', id] });

/** Locks a department's name, which is unique within the organization. */
export const departmentNameKey = (digest: string): Key<{ departmentId: string }> => ({
  partition: [],
  sort: ['DEPARTMENT_NAME', digest],
});

export const departmentRange = (): Range<Department> => ({ partition: [], under: ['DEPARTMENT'] });
