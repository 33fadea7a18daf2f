import { movedApplication, newApplication } from '../../../shared/contact-aggregate/application.ts';
import type { ContactState } from '../../../shared/contact-aggregate/contact-aggregate.ts';
import { childId } from '../../../shared/contacts/contact.ts';
import type { Pipeline } from '../../../shared/contacts/pipeline.ts';
import { requestedStage } from '../../../shared/contacts/stages.ts';
import { timestamp } from '../../../shared/kernel/time.ts';
import { peopleOf } from '../../../shared/organizations/visibility.ts';
import type { Randomness } from './randomness.ts';

const subjects = ['Trade account', 'Credit line', 'Reseller partnership', 'Showroom loan', 'Annual contract'];
const terms = [14, 30, 60];

/** Adds applications to the aggregate of a contact: mostly none, often one, sometimes two. */
export function apply(
  state: ContactState,
  pipelines: readonly Pipeline[],
  now: Date,
  random: Randomness,
): ContactState {
  const { contact } = state;
  const people = peopleOf(contact);
  const applications = Array.from({ length: random.pick([0, 0, 0, 0, 0, 1, 1, 2]) }, () => {
    let at = random.momentBetween(new Date(contact.createdAt), now);
    const fields = {
      userId: random.pick(people),
      name: random.pick(subjects),
      customFields: { amount: 500 * (1 + random.below(40)), paymentDays: random.pick(terms) },
    };
    const id = childId(contact._id, random.idAt(at));
    let application = newApplication(
      id,
      contact,
      requestedStage(pipelines, 'Application', {}),
      fields,
      timestamp(at),
    );
    for (const stage of ['In review', random.pick(['Approved', 'Declined'])].slice(0, random.below(3))) {
      at = random.momentBetween(at, now);
      const place = requestedStage(pipelines, 'Application', { stage });
      application = movedApplication(application, place, random.pick(people), timestamp(at));
    }
    return application;
  });
  return { ...state, applications: [...state.applications, ...applications] };
}
