import { placeholderNames } from '../../../../shared/messages/fill-placeholders.ts';
import { stepReference } from '../rules/step-reference.ts';

/** By the data of a node, which never changes: its plan and its problems both ask for this. */
const known = new WeakMap<object, ReadonlySet<string>>();

/** The nodes in all fields `step.<nodeId>.…` and placeholders `{{step.<nodeId>.…}}` of a node's data. */
export function nodesNamedIn(data: object): ReadonlySet<string> {
  const named = known.get(data) ?? foundIn(data);
  known.set(data, named);
  return named;
}

function foundIn(data: object): ReadonlySet<string> {
  const named = new Set<string>();
  eachText(data, (text) => {
    for (const name of [text, ...placeholderNames(text)]) {
      const reference = stepReference(name);
      if (reference !== undefined) {
        named.add(reference.nodeId);
      }
    }
  });
  return named;
}

/** The names in the placeholders of a node's texts. */
export function namesFilledIn(data: object): ReadonlySet<string> {
  const named = new Set<string>();
  eachText(data, (text) => {
    for (const name of placeholderNames(text)) {
      named.add(name);
    }
  });
  return named;
}

/** The fields that rules of a node's data compare, and those that stand in placeholders of its texts. */
export function fieldsNamedIn(data: unknown): string[] {
  const named: string[][] = [];
  eachText(data, (text, key) => {
    named.push(key === 'field' ? [text.trim()] : placeholderNames(text));
  });
  return named.flat();
}

/** Calls back with each text in a JSON value and its key. A node may have 100,000 texts. */
function eachText(value: unknown, tell: (text: string, key: string) => void, key = ''): void {
  if (typeof value === 'string') {
    tell(value, key);
  } else if (typeof value === 'object' && value !== null) {
    for (const name of Object.keys(value)) {
      eachText((value as Readonly<Record<string, unknown>>)[name], tell, name);
    }
  }
}
