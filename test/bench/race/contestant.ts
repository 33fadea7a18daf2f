import type { StoredContact } from '../../../shared/contacts/contact.ts';

/** Ids of processes that serve requests, and of those of their database. */
export interface Served {
  readonly server: readonly number[];
  readonly database: readonly number[];
}

/** A running service with its database. */
export interface Contestant {
  readonly name: string;
  /** The URL of its HTTP API. */
  url(): string;
  /** Its processes, as they are now. */
  processes(): Served;
  /** Access tokens of ADMINs, for the connections in turn: the reads of one person are limited. */
  readonly tokens: readonly string[];
  /** Loads the contacts into the organization. Called once, before the race. */
  load(contacts: readonly StoredContact[]): Promise<void>;
  stop(): Promise<void>;
}

/** An organization with an active pipeline of eight stages. The ids are the same for all contestants. */
export interface RacingOrganization {
  readonly organizationId: string;
  readonly adminId: string;
  readonly pipelineId: string;
  readonly stages: readonly { readonly _id: string; readonly name: string }[];
}
