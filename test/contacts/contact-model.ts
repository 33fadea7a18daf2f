import type { Person } from '../harness/product.ts';

/** A contact as the model has it. */
export interface ModelContact {
  readonly id: string;
  readonly createdBy: string;
  stage: string;
  owner: string | null;
  assignees: string[];
  tags: string[];
  numbers: string[];
  /** Those of its numbers that want no text. */
  optedOut: string[];
  /** The texts of its notes. */
  notes: string[];
  isArchived: boolean;
  /** Where it went, if it is gone. */
  gone?: 'deleted' | { readonly mergedInto: string } | undefined;
}

/** A merge, with both contacts before and the one that stayed after it. */
export interface ModelMerge {
  readonly changeId: string;
  readonly into: ModelContact;
  readonly from: ModelContact;
  readonly was: ModelContact;
  readonly gone: ModelContact;
  readonly after: ModelContact;
}

/** Somebody of the organization, and the users whose contacts they see. */
export interface ModelUser extends Person {
  readonly scope: readonly string[] | 'organization';
}

/** Whether the user may see the contact. Source: decisions 5. */
export function mayModelSee({ scope }: ModelUser, { createdBy, owner, assignees }: ModelContact): boolean {
  return (
    scope === 'organization' || [createdBy, owner, ...assignees].some((user) => user && scope.includes(user))
  );
}

/** The contact that went in becomes part of the other one. */
export function mergeInModel(into: ModelContact, from: ModelContact): void {
  const { owner, assignees, tags, numbers, optedOut, notes } = from;
  const people = [
    ...into.assignees,
    ...(owner === into.owner || owner === null ? [] : [owner]),
    ...assignees,
  ];
  into.owner ??= owner;
  into.assignees = [...new Set(people)].filter((user) => user !== into.owner);
  into.tags = [...new Set([...into.tags, ...tags])];
  into.numbers = [...into.numbers, ...numbers];
  into.optedOut = [...into.optedOut, ...optedOut];
  into.notes = [...into.notes, ...notes];
  from.gone = { mergedInto: into.id };
}

/** What is still where the merge put it goes back; all else stays. */
export function undoInModel({ into, from, was, gone, after }: ModelMerge): void {
  const without = (now: string[], then: readonly string[], before: readonly string[]) =>
    now.filter((one) => !then.includes(one) || before.includes(one));
  const numbers = gone.numbers.filter((number) => into.numbers.includes(number));
  Object.assign(from, gone, {
    numbers,
    optedOut: into.optedOut.filter((number) => numbers.includes(number)),
    gone: undefined,
  });
  into.owner = into.owner === after.owner ? was.owner : into.owner;
  into.assignees = without(into.assignees, after.assignees, was.assignees);
  into.tags = without(into.tags, after.tags, was.tags);
  into.numbers = into.numbers.filter((number) => !numbers.includes(number));
  into.optedOut = into.optedOut.filter((number) => !numbers.includes(number));
  into.notes = into.notes.filter((note) => !gone.notes.includes(note));
}

/** Lets requests about the same contacts wait for each other, so that the model knows their order; all others are simultaneous. */
export class Turns {
  readonly #busy = new Set<string>();

  /** Undefined if somebody is at one of them. */
  async taking<Result>(ids: readonly string[], act: () => Promise<Result>): Promise<Result | undefined> {
    if (ids.some((id) => this.#busy.has(id))) {
      return undefined;
    }
    for (const id of ids) {
      this.#busy.add(id);
    }
    try {
      return await act();
    } finally {
      for (const id of ids) {
        this.#busy.delete(id);
      }
    }
  }
}
