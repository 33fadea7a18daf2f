import type { Audience } from '../events/outbox.ts';
import { second } from '../kernel/time.ts';

/** Events of a job that a socket gets in a second. Source: contacts at work 3. */
const shownPerSecond = 20;

/** Decides which events of a job sockets get by themselves, and remembers who has not got the others. */
export interface HiddenEvents {
  hides(audience: Audience): boolean;
  /** Notes that events for these users were hidden. */
  note(audience: Audience): void;
  /** Who is to be told of hidden events; undefined if there are none, or somebody was told within the last second. */
  take(): Audience | undefined;
  /** Who is to be told at last. */
  takeRest(): Audience | undefined;
}

/** @param time the time in milliseconds, from any beginning. */
export function hiddenEvents(time: () => number): HiddenEvents {
  const shown: number[] = [];
  let hidden: Audience | undefined;
  let told = time();
  const note = (audience: Audience) => {
    hidden = hidden === undefined ? everybodyIn(audience) : together(hidden, everybodyIn(audience));
  };
  const takeRest = () => {
    const audience = hidden;
    hidden = undefined;
    told = time();
    return audience;
  };
  return {
    hides(audience) {
      const now = time();
      const [earliest = 0] = shown;
      if (shown.length < shownPerSecond || now - earliest >= second) {
        shown.push(now);
        shown.splice(0, shown.length - shownPerSecond);
        return false;
      }
      note(audience);
      return true;
    },
    note,
    take: () => (hidden !== undefined && time() - told >= second ? takeRest() : undefined),
    takeRest,
  };
}

const everyone: Audience = { kind: 'organization' };

/** Those who get an event, and those out of whose sight it takes its record. */
function everybodyIn(audience: Audience): Audience {
  switch (audience.kind) {
    case 'record':
      return { kind: 'record', people: [...audience.people, ...(audience.formerly ?? [])] };
    case 'user':
      return { kind: 'record', people: [audience.userId] };
    case 'users':
      return { kind: 'record', people: audience.userIds };
    case 'organization':
      return everyone;
  }
}

function together(one: Audience, other: Audience): Audience {
  return one.kind === 'record' && other.kind === 'record'
    ? { kind: 'record', people: [...new Set([...one.people, ...other.people])] }
    : everyone;
}
