import * as demo from '../../../shared/kernel/demo-ids.ts';
import { after, day, hour } from '../../../shared/kernel/time.ts';
import { inParallel } from './in-parallel.ts';
import type { Past } from './past.ts';
import type { SeedContact } from './seed-contacts.ts';
import { workflowsFor } from './workflow-runs.ts';

type Workflows = ReturnType<typeof workflowsFor>;

/** Writes what happened to some well-known contacts, by their last names, so that there are runs of workflows in every status. */
export async function followWithWorkflows(past: Past, contacts: readonly SeedContact[]): Promise<void> {
  const { now } = past;
  const ago = (time: number) => after(now, -time);
  const lead = (at: Date) => ({
    topic: 'lead.received' as const,
    at,
    fields: { isNew: true, changed: true },
  });
  const missed = (at: Date, textOutcome: string) => ({
    ...{ topic: 'call.missed' as const, at },
    fields: { direction: 'inbound', status: 'no-answer', textOutcome },
  });
  const won = (at: Date) => ({
    ...{ topic: 'contact.stage_changed' as const, at },
    fields: { stage: 'Won', fromStage: 'Qualified' },
  });
  const sent = (at: Date) => ({ topic: 'message.sent' as const, at, fields: { direction: 'outbound' } });
  const reply = (at: Date) => ({ topic: 'message.received' as const, at, fields: { direction: 'inbound' } });

  const stories: Readonly<Record<string, (own: Workflows, contact: SeedContact) => Promise<void>>> = {
    async Newton({ happen, passTime }) {
      await happen(lead(ago(5.5 * day)));
      await happen(reply(ago(5.3 * day)));
      await passTime();
    },
    async Johnson({ happen, passTime }) {
      await happen(lead(ago(3 * day)));
      await passTime();
    },
    async Franklin({ happen }) {
      await happen(lead(ago(5 * hour)));
    },
    async Babbage({ happen, passTime }) {
      await happen(sent(ago(2.3 * day)));
      await happen({ topic: 'contact.opted_out', at: ago(2.2 * day), fields: { source: 'keyword' } });
      await happen(lead(ago(2 * day)));
      await passTime();
    },
    async Kepler({ happen }) {
      await happen(missed(ago(day), 'sent'));
    },
    async Faraday({ happen }) {
      await happen(missed(ago(3 * hour), 'skipped'));
    },
    async Austen({ happen }, { move, createdAt }) {
      await happen(won(move?.at ?? createdAt));
    },
    async Verne({ happen }, { move, createdAt }) {
      await happen(won(move?.at ?? createdAt));
    },
    async Turing({ happen }) {
      await happen(sent(ago(day)));
    },
    async Noether({ happen, passTime }) {
      await happen(sent(ago(3.5 * day)));
      await passTime();
    },
    async Anning({ happen }) {
      await happen(sent(ago(1.2 * day)));
      await happen(reply(ago(day)));
    },
    async Meitner({ happen, cancel }) {
      await happen(sent(ago(2 * day)));
      await cancel(demo.rep, ago(day));
    },
    // The host continues this run once it has started.
    async Linnaeus({ happen }) {
      await happen(sent(now), { left: true });
    },
  };
  const wellKnown = contacts.slice(-wellKnownCount);
  const follow = async (name: string) => {
    const contact = wellKnown.find(({ fields: { lastName } }) => lastName === name);
    const own = past.beside(5_000 + (contact === undefined ? 0 : contacts.indexOf(contact)));
    await (contact && stories[name]?.(workflowsFor(own, contact), contact));
  };
  // The order matters: the users who get leads take turns.
  const others = Object.keys(stories).filter((name) => !leads.includes(name));
  await inParallel([leads, ...others.map((name) => [name])], async (names) => {
    for (const name of names) {
      await follow(name);
    }
  });
}

const leads = ['Newton', 'Johnson', 'Franklin', 'Babbage'];

/** These events come after all others. */
const wellKnownCount = 60;
