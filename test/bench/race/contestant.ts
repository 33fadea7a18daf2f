import type { StoredContact } from '../../../shared/contacts/contact.ts';

/** Ids of processes that serve requests, and of those of their database. */
export interface Served {
  readonly server: readonly number[];
  readonly database: readonly number[];
}

/** Access tokens of ADMINs. */
export interface Tokens {
  /** For the organization with the contacts: prepares and checks. */
  readonly full: string;
  /** For the same organization, one for each connection, because the reads of one person are limited. */
  readonly team: readonly string[];
  /** For the organization without contacts. */
  readonly empty: string;
}

/** A running service with its database. */
export interface Contestant {
  readonly name: string;
  /** The URL of its HTTP API. */
  url(): string;
  /** Its processes, as they are now. */
  processes(): Served;
  readonly tokens: Tokens;
  /** Loads the contacts into the organization. Called once, before the race. */
  load(contacts: readonly StoredContact[]): Promise<void>;
  /** Restarts it and its database on the same data, so that nothing is cached. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}
