import type { Key, Range } from '../table/key.ts';
import type { Timestamp } from '../time.ts';

/** What the client must know to enforce the organization's idle and renewal policy. Source: specification, "Session configuration". */
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

/** Who may register into an organization: its administrators alone, or anyone as a SALES_REP. */
export const registrationModes = ['admin_only', 'open'] as const;
export type RegistrationMode = (typeof registrationModes)[number];

export interface Organization {
  _id: string;
  name: string;
  registrationMode: RegistrationMode;
  sessionConfig: SessionConfig;
  createdAt: Timestamp;
  updatedAt: Timestamp;
}

/** A department: the users whose `departmentIds` name it are its members. */
export interface Department {
  _id: string;
  organizationId: string;
  name: string;
  createdAt: Timestamp;
  updatedAt: Timestamp;
}

export const organizationKey = (): Key<Organization> => ({ partition: [], sort: ['ORGANIZATION'] });

export const departmentKey = (id: string): Key<Department> => ({ partition: [], sort: ['DEPARTMENT', id] });

/** The lock that makes a department's name unique within the organization. */
export const departmentNameKey = (digest: string): Key<{ departmentId: string }> => ({
  partition: [],
  sort: ['DEPARTMENT_NAME', digest],
});

export const departmentRange = (): Range<Department> => ({ partition: [], under: ['DEPARTMENT'] });
