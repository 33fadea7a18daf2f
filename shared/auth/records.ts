import type { Timestamp } from '../time.ts';

/** Who an e-mail address belongs to, platform-wide, and the password that proves it. Lies under the address: its lock. */
export interface Credentials {
  userId: string;
  organizationId: string;
  /** argon2id as a PHC string. */
  passwordHash: string;
}

/** Who a session (a family of refresh tokens) belongs to. Its generation, end and revocation are native attributes. */
export interface Session {
  userId: string;
  organizationId: string;
  startedAt: Timestamp;
}
