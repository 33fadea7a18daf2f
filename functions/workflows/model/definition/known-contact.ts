import type { ContactState } from '../../../../shared/contact-aggregate/contact-aggregate.ts';
import type { Facts } from './facts.ts';

/** The contact of a step whose type needs one: the engine skips such a step if its contact is gone. */
export function knownState({ state }: Facts): ContactState {
  if (state === undefined) {
    throw new Error('A step that needs its contact was decided without it');
  }
  return state;
}
