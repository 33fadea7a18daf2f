import { minute } from '../../shared/kernel/time.ts';

/** A message as the model knows it. */
interface ToldMessage {
  readonly id: string;
  readonly isInbound: boolean;
  /** Of those of one round nobody knows which came first. */
  readonly round: number;
}

interface ToldNotification {
  readonly type: 'message' | 'assignment' | 'mention';
  readonly contact: number;
  /** Of a mention. */
  readonly noteId?: string;
  isRead: boolean;
  count: number;
  /** Milliseconds since the epoch of its first message. */
  readonly since: number;
}

interface ModelContact {
  owner: number;
  assignees: number[];
  messages: ToldMessage[];
  notes: Note[];
}

interface Note {
  readonly id: string;
  /** Those whom it mentions. */
  readonly users: readonly number[];
}

/** What the users have not read, by the plainest rules: everything is kept in lists and counted whenever somebody asks. */
export class UnreadModel {
  readonly contacts: ModelContact[];
  readonly notifications: ToldNotification[][];
  readonly wants: { messages: boolean; assignments: boolean }[];
  /** For each user and contact, the messages read. */
  readonly #read: Set<string>[];
  /** For each user and contact, the message that was read up to. */
  readonly #upTo = new Map<string, string>();

  constructor(users: number, contacts: number) {
    const all = Array.from({ length: users });
    this.contacts = Array.from({ length: contacts }, (_, index) => ({
      owner: index % users,
      assignees: [],
      messages: [],
      notes: [],
    }));
    this.notifications = all.map(() => []);
    this.wants = all.map(() => ({ messages: true, assignments: true }));
    this.#read = all.map(() => new Set());
  }

  of(contact: number): ModelContact {
    return this.contacts[contact] ?? { owner: 0, assignees: [], messages: [], notes: [] };
  }

  notificationsOf(user: number): ToldNotification[] {
    return this.notifications[user] ?? [];
  }

  unreadNotifications(user: number): number {
    return this.notificationsOf(user).filter(({ isRead }) => !isRead).length;
  }

  unreadMessages(user: number, contact: number): number {
    return this.of(contact).messages.filter(({ id, isInbound }) => isInbound && !this.#read[user]?.has(id))
      .length;
  }

  readUpTo(user: number, contact: number): string | null {
    return this.#upTo.get(`${user} ${contact}`) ?? null;
  }

  /** The last message in the list. */
  lastOf(contact: number): string | undefined {
    return this.of(contact)
      .messages.map(({ id }) => id)
      .sort()
      .at(-1);
  }

  /** Reads everything that arrived until the round of a message, or everything with the last one. */
  read(user: number, contact: number, upTo: string | undefined): void {
    const { messages } = this.of(contact);
    const last = this.lastOf(contact);
    if (last === undefined) {
      return;
    }
    const id = upTo ?? last;
    const round = messages.find((message) => message.id === id)?.round ?? 0;
    for (const message of messages) {
      if (id === last || message.round <= round) {
        this.#read[user]?.add(message.id);
      }
    }
    const before = this.readUpTo(user, contact);
    this.#upTo.set(`${user} ${contact}`, before === null || before < id ? id : before);
  }

  /** The notifications of messages that came at a moment. */
  told(contact: number, messages: number, at: number): void {
    const { assignees, owner } = this.of(contact);
    for (const user of assignees.length > 0 ? assignees : [owner]) {
      for (let index = 0; index < messages && this.wants[user]?.messages; index += 1) {
        const own = this.notificationsOf(user);
        const current = own.findLast(
          (notification) => notification.type === 'message' && notification.contact === contact,
        );
        if (current !== undefined && !current.isRead && at - current.since < 5 * minute) {
          current.count += 1;
        } else {
          own.push({ type: 'message', contact, isRead: false, count: 1, since: at });
        }
      }
    }
  }

  assigned(contact: number, users: readonly number[], by: number, at: number): void {
    for (const user of users) {
      if (user !== by && this.wants[user]?.assignments) {
        this.notificationsOf(user).push({ type: 'assignment', contact, isRead: false, count: 0, since: at });
      }
    }
  }

  /** A note mentions users, whether or not they want to know. */
  mentioned(contact: number, note: Note, at: number): void {
    this.of(contact).notes.push(note);
    const told = { type: 'mention', contact, noteId: note.id, count: 0, since: at } as const;
    for (const user of note.users) {
      this.notificationsOf(user).push({ ...told, isRead: false });
    }
  }

  /** A note is deleted. */
  unmentioned(contact: number, id: string): void {
    const known = this.of(contact);
    known.notes = known.notes.filter((note) => note.id !== id);
    for (const [user, told] of this.notifications.entries()) {
      this.notifications[user] = told.filter(({ noteId }) => noteId !== id);
    }
  }
}
