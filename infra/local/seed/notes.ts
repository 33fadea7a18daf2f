import createNote from '../../../functions/notes/create-note.ts';
import editNote from '../../../functions/notes/edit-note.ts';
import toggleReaction from '../../../functions/notes/toggle-reaction.ts';
import markNotificationRead from '../../../functions/notifications/mark-notification-read.ts';
import * as demo from '../../../shared/kernel/demo-ids.ts';
import { after, hour } from '../../../shared/kernel/time.ts';
import { fullName } from '../../../shared/organizations/user.ts';
import { accounts, accountsSeeing } from './accounts.ts';
import { inParallel } from './in-parallel.ts';
import type { Past } from './past.ts';
import { notes, requests } from './phrases.ts';
import { peopleAround, type SeedContact } from './seed-contacts.ts';

/** How many of the newest mentions of each user are unread; so is the very first mention of the admin. */
const unread = 3;

/** A note that somebody writes on a contact. */
interface Draft {
  readonly contactId: string;
  readonly at: Date;
  readonly author: string;
  readonly text: string;
  /** A user; undefined for nobody. */
  readonly mentioned: string | undefined;
}

/** Writes notes on contacts, each by somebody who sees the contact, with edits, reactions and the notifications of mentioned users. */
export async function writeNotes(past: Past, contacts: readonly SeedContact[]): Promise<void> {
  const drafts = contacts.flatMap((contact) => draftsOn(contact, past));
  const mentionsOf = (userId: string) =>
    drafts.filter(({ mentioned }) => mentioned === userId).sort((a, b) => b.at.getTime() - a.at.getTime());
  const first = mentionsOf(demo.admin).at(-1);
  const unopened = new Set([first, ...accounts.flatMap(({ _id }) => mentionsOf(_id).slice(0, unread))]);
  await inParallel(drafts, async (draft) => {
    const own = past.beside(2_000 + drafts.indexOf(draft));
    const notification = draft === first ? demo.notification : own.random.idAt(draft.at);
    await writeNote(own, draft, notification);
    if (draft.mentioned !== undefined && !unopened.has(draft)) {
      const path = { id: notification };
      await own.run(markNotificationRead, { at: past.now, by: draft.mentioned, path });
    }
  });
}

function draftsOn(contact: SeedContact, { random, now }: Past): Draft[] {
  const people = peopleAround(contact);
  const readers = accountsSeeing(people);
  const involved = readers.filter(({ _id }) => people.includes(_id));
  return Array.from({ length: random.pick([0, 0, 0, 0, 0, 0, 1, 1, 2]) }, () => {
    const author = random.pick(readers);
    const askable = (random.chance(0.6) ? involved : readers).filter((reader) => reader !== author);
    const mentioned = askable.length > 0 && random.chance(0.5) ? random.pick(askable) : undefined;
    return {
      contactId: contact._id,
      at: random.momentBetween(contact.createdAt, now),
      author: author._id,
      text: mentioned ? `@${fullName(mentioned)} ${random.pick(requests)}` : random.pick(notes),
      mentioned: mentioned?._id,
    };
  });
}

async function writeNote(
  past: Past,
  { contactId, at, author, text, mentioned }: Draft,
  notification: string,
): Promise<void> {
  const { random, now } = past;
  const isEdited = mentioned === undefined && random.chance(0.3);
  const body = {
    contactId,
    note: isEdited ? text.slice(0, -1) : text,
    mentions: mentioned === undefined ? [] : [mentioned],
  };
  const { data } = await past.run(createNote, { at, by: author, body, ids: [undefined, notification] });
  const path = { id: data._id };
  if (isEdited) {
    const editedAt = after(at, Math.min(hour, now.getTime() - at.getTime()));
    await past.run(editNote, { at: editedAt, by: author, path, body: { note: text } });
  }
  for (const emoji of ['👍', '🎉', '👀']) {
    for (const by of [author, ...body.mentions].filter(() => random.chance(0.1))) {
      await past.run(toggleReaction, { at, by, path, body: { emoji } });
    }
  }
}
