import type { ContactState } from '../../../../shared/contact-aggregate/contact-aggregate.ts';
import type { Facts } from './facts.ts';

/** The contact of a step whose type needs it: the engine decides none of them without it. */
export function knownState({ state }: Facts): ContactState {
  if (state === undefined) {
    throw new Error('A step that needs its contact was decided without it');
  }
  return state;
}
