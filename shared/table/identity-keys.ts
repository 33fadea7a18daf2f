import type { Credentials, Session } from '../auth/records.ts';
import type { NumberOwner } from '../organizations/phone-assignment.ts';
import type { Key } from './key.ts';

/** Every key of the identity space: what crosses organizations. */
export const identityKeys = {
  /** The lock that makes an e-mail address unique platform-wide; `digest` as `auth/email.ts` makes it. */
  email: (digest: string): Key<Credentials> => ({ partition: ['EMAIL', digest], sort: ['EMAIL'] }),
  /** The lock that makes a phone number one user's platform-wide. */
  phoneNumber: (value: string): Key<NumberOwner> => ({
    partition: ['PHONE_NUMBER', value],
    sort: ['PHONE_NUMBER'],
  }),
  /** Which organization a configuration is of: a lead knows nothing but the configuration. */
  outreachConfiguration: (id: string): Key<{ organizationId: string }> => ({
    partition: ['OUTREACH', id],
    sort: ['OUTREACH'],
  }),
  session: (familyId: string): Key<Session> => ({ partition: ['SESSION', familyId], sort: ['SESSION'] }),
  /** Failed logins of an account (`ACCOUNT`, digest of the address) or of a source address (`ADDRESS`). */
  throttle: (of: 'ACCOUNT' | 'ADDRESS', subject: string): Key<never> => ({
    partition: ['THROTTLE', of, subject],
    sort: ['THROTTLE'],
  }),
  /** Which organization a connection belongs to: a disconnect knows nothing but the connection. */
  connection: (id: string): Key<{ organizationId: string; userId: string }> => ({
    partition: ['CONNECTION', id],
    sort: ['CONNECTION'],
  }),
} as const;
