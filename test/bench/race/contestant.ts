import type { StoredContact } from '../../../shared/contacts/contact.ts';

/** Ids of processes that serve requests, and of those of their database. */
export interface Served {
  readonly server: readonly number[];
  readonly database: readonly number[];
}

/** One of those who race: a running service with its database. */
export interface Contestant {
  readonly name: string;
  /** Of its HTTP API. */
  url(): string;
  /** Its processes, as they are now. */
  processes(): Served;
  /** An access token of the organization that has the contacts, or of the one that has none. */
  readonly tokens: { readonly full: string; readonly empty: string };
  /** Fills the organization. Called once, before the race. */
  load(contacts: readonly StoredContact[]): Promise<void>;
  /** Ends it and its database, and starts both anew over the same data: then nothing is kept in memory. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}
