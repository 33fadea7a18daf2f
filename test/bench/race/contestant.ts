import type { StoredContact } from '../../../shared/contacts/contact.ts';

/** Ids of processes that serve requests, and of those of their database. */
export interface Served {
  readonly server: readonly number[];
  readonly database: readonly number[];
}

/** Access tokens of ADMINs. */
export interface Tokens {
  /** Of the organization that has the contacts: who prepares and checks. */
  readonly full: string;
  /** Those who race there, a connection each: what one person may read in a time is limited. */
  readonly team: readonly string[];
  /** Of the organization that has no contacts. */
  readonly empty: string;
}

/** One of those who race: a running service with its database. */
export interface Contestant {
  readonly name: string;
  /** Of its HTTP API. */
  url(): string;
  /** Its processes, as they are now. */
  processes(): Served;
  readonly tokens: Tokens;
  /** Fills the organization. Called once, before the race. */
  load(contacts: readonly StoredContact[]): Promise<void>;
  /** Ends it and its database, and starts both anew over the same data: then nothing is kept in memory. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}
