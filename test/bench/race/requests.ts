/** A request, and the status that the client expects. */
export interface Sent {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly body?: unknown;
  /** Whether it is sent with the access token. */
  readonly isSignedIn: boolean;
  readonly status: number;
}

/** The data of requests. The ids are the same for all contestants. */
export interface Subject {
  /** Access tokens, for the connections in turn. */
  readonly tokens: readonly string[];
  /** The stages of the active pipeline. */
  readonly stageIds: readonly string[];
  /** The contacts that are edited and moved, and that write, each with the index of its stage. */
  readonly contacts: readonly { readonly id: string; readonly stage: number; readonly number?: string }[];
  /** Users who log in, one for each connection. */
  readonly accounts: readonly { readonly email: string; readonly password: string }[];
  /** Where the peer hashes with what Node.js has; of Switchboard its only login. */
  readonly nodeHashLogin: string;
  readonly configurationId: string;
  /** The number that text messages are sent to. */
  readonly organizationNumber: string;
  readonly searches: Readonly<Record<SearchKind, string>>;
  /** Texts that some names contain: more than any process caches searches for. */
  readonly parts: readonly string[];
}

export const searchKinds = ['first hits', 'rare digits', 'no hit'] as const;
export type SearchKind = (typeof searchKinds)[number];

/** Contacts on a page of a column. */
export const pageSize = 20;

const signedIn = { isSignedIn: true, status: 200 } as const;

export function boardRequest(search?: string): Sent {
  const body = { size: pageSize, ...(search === undefined ? {} : { search }) };
  return { ...signedIn, method: 'POST', path: '/api/contacts', body };
}

/** Returns the next request of one kind; `connection` counts from 0. */
export type Sequence = (connection: number) => Sent;

/** Makes sequences of requests. Those of one `Requests` never repeat a phone number, a message or a change. */
export class Requests {
  readonly #subject: Subject;
  readonly #stages: number[];
  #changes = 0;
  #moves = 0;
  #searches = 0;
  #numbers = 0;

  constructor(subject: Subject) {
    this.#subject = subject;
    this.#stages = subject.contacts.map(({ stage }) => stage);
  }

  sequence(kind: RequestKind): Sequence {
    return this.#sequences[kind];
  }

  readonly #sequences: Record<RequestKind, Sequence> = {
    health: () => ({ method: 'GET', path: '/api/health', isSignedIn: false, status: 200 }),
    board: () => boardRequest(),
    'search: first hits': () => boardRequest(this.#subject.searches['first hits']),
    'search: rare digits': () => boardRequest(this.#subject.searches['rare digits']),
    'search: no hit': () => boardRequest(this.#subject.searches['no hit']),
    'search: new texts': () => {
      const { parts } = this.#subject;
      this.#searches += 1;
      return boardRequest(parts[this.#searches % parts.length]);
    },
    login: (connection) => this.#login(connection, '/api/auth/login'),
    'login: node:crypto': (connection) => this.#login(connection, this.#subject.nodeHashLogin),
    create: () => {
      const number = this.#newNumber();
      const body = {
        firstName: 'Grace',
        lastName: `Hopper ${number.slice(4)}`,
        email: 'grace@example.com',
        phoneNumbers: [{ value: number, label: 'mobile' }],
        source: 'Referral',
        tags: ['vip'],
        customFields: { city: 'Arlington' },
      };
      return { method: 'POST', path: '/api/contacts/create', body, isSignedIn: true, status: 201 };
    },
    edit: () => {
      this.#changes += 1;
      const { id } = this.#contact(this.#changes);
      const body = { lastName: `Lovelace ${this.#changes}` };
      return { ...signedIn, method: 'PUT', path: `/api/contacts/${id}`, body };
    },
    move: () => {
      this.#moves += 1;
      const { contacts, stageIds } = this.#subject;
      const place = this.#moves % contacts.length;
      const stage = ((this.#stages[place] ?? 0) + 1) % stageIds.length;
      this.#stages[place] = stage;
      const path = `/api/contacts/${this.#contact(place).id}/stage`;
      return { ...signedIn, method: 'PUT', path, body: { stageId: stageIds[stage] } };
    },
    lead: () => {
      const { configurationId } = this.#subject;
      const lead = { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.com' };
      const body = { configurationId, phoneNumber: this.#newNumber(), ...lead };
      return { method: 'POST', path: '/api/webhook/outreach', body, isSignedIn: false, status: 200 };
    },
    text: () => {
      this.#changes += 1;
      const body = {
        MessageSid: `SM${String(this.#changes).padStart(32, '0')}`,
        From: this.#contact(this.#changes).number ?? this.#newNumber(),
        To: this.#subject.organizationNumber,
        Body: 'Hello! Do you deliver on Saturdays?',
        NumMedia: '0',
      };
      return { method: 'POST', path: '/api/webhook/twilio/sms', body, isSignedIn: false, status: 200 };
    },
  };

  #login(connection: number, path: string): Sent {
    const { accounts } = this.#subject;
    const body = accounts[connection % accounts.length];
    return { method: 'POST', path, body, isSignedIn: false, status: 200 };
  }

  #contact(index: number) {
    const { contacts } = this.#subject;
    const contact = contacts[index % contacts.length];
    if (contact === undefined) {
      throw new Error('There are no contacts to change.');
    }
    return contact;
  }

  /** A number with a country code that no country and no loaded contact has. */
  #newNumber(): string {
    this.#numbers += 1;
    return `+998${String(this.#numbers).padStart(9, '0')}`;
  }
}

export type RequestKind =
  | 'health'
  | 'board'
  | `search: ${SearchKind | 'new texts'}`
  | 'login'
  | 'login: node:crypto'
  | 'create'
  | 'edit'
  | 'move'
  | 'lead'
  | 'text';
