import {
  type ApplicationPlace,
  movedApplication,
  newApplication,
  type StoredApplication,
} from '../../../shared/applications/application.ts';
import type { StoredContact } from '../../../shared/contacts/contact.ts';
import { childId } from '../../../shared/contacts/contact.ts';
import { timestamp } from '../../../shared/kernel/time.ts';
import type { Pipeline } from '../../../shared/pipelines/pipeline.ts';
import { peopleOf } from '../../../shared/visibility.ts';
import type { Randomness } from './randomness.ts';

const subjects = ['Trade account', 'Credit line', 'Reseller partnership', 'Showroom loan', 'Annual contract'];
const terms = [14, 30, 60];

/** What a contact applies for in this pipeline: nothing mostly, one thing often, two now and then. */
export function applicationsOf(
  contact: StoredContact,
  pipeline: Pipeline | undefined,
  now: Date,
  random: Randomness,
): StoredApplication[] {
  const places = pipeline?.stages.map((stage) => ({ pipelineId: pipeline._id, stage })) ?? [];
  const count = random.pick([0, 0, 0, 0, 0, 1, 1, 2]);
  return places.length === 0
    ? []
    : Array.from({ length: count }, () => applicationOf(contact, places, now, random));
}

/** Made by somebody whose contact it is, and moved on by others of them. */
function applicationOf(
  contact: StoredContact,
  places: readonly ApplicationPlace[],
  now: Date,
  random: Randomness,
): StoredApplication {
  const people = peopleOf(contact);
  const created = Date.parse(contact.createdAt);
  let at = created + (now.getTime() - created) * random.next();
  const [first, second, ...ends] = places;
  const made = newApplication(
    childId(contact._id, random.idAt(new Date(at))),
    contact,
    first ?? random.pick(places),
    {
      userId: random.pick(people),
      name: random.pick(subjects),
      customFields: { amount: 500 * (1 + random.below(40)), paymentDays: random.pick(terms) },
    },
    timestamp(new Date(at)),
  );
  const way = [second, ends.length === 0 ? undefined : random.pick(ends)].slice(0, random.below(3));
  return way.reduce<StoredApplication>((application, place) => {
    at += (now.getTime() - at) * random.next();
    return place === undefined
      ? application
      : movedApplication(application, place, random.pick(people), timestamp(new Date(at)));
  }, made);
}
