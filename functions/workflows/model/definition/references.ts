import { nodeTypeNamed } from './catalogue.ts';
import { readData } from './node-data.ts';
import type { Reference } from './node-type.ts';
import type { Plan } from './plan.ts';

/** Records of one kind that are looked up: more than anybody names, and few to read. */
export const maxLookedUp = 100;

export interface Named extends Reference {
  readonly nodeId: string;
}

/** The references of the nodes, and whether one of them sends from the default number of the owner. */
export function referencesIn({ nodes }: Plan): {
  readonly named: readonly Named[];
  readonly sendsByDefault: boolean;
} {
  const named: Named[] = [];
  let sendsByDefault = false;
  for (const { id: nodeId, type, data } of Object.values(nodes)) {
    const { schema, references, sendsByDefault: sends } = nodeTypeNamed(type) ?? {};
    const read = schema && references && readData(schema, data);
    if (read?.success) {
      named.push(...(references?.(read.data) ?? []).map((reference) => ({ ...reference, nodeId })));
      sendsByDefault ||= sends?.(read.data) === true;
    }
  }
  return { named, sendsByDefault };
}

/** The ids of the records of a kind that are looked up, each once. */
export const idsToLookUp = (named: readonly Named[], kind: Reference['kind']): string[] =>
  [...new Set(named.filter((one) => one.kind === kind).map(({ id }) => id))].slice(0, maxLookedUp);
