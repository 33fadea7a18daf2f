import { stepReference } from '../rules/step-reference.ts';

/** The nodes in all fields `step.<nodeId>.…` and placeholders `{{step.<nodeId>.…}}` of a node's data. */
export function nodesNamedIn(data: unknown): string[] {
  const named: string[] = [];
  eachText(data, (text) => {
    for (const name of [text, ...placeholdersIn(text)]) {
      const reference = stepReference(name);
      if (reference !== undefined) {
        named.push(reference.nodeId);
      }
    }
  });
  return named;
}

/** The fields that rules of a node's data compare, and those that stand in placeholders of its texts. */
export function fieldsNamedIn(data: unknown): string[] {
  const named: string[][] = [];
  eachText(data, (text, key) => {
    named.push(key === 'field' ? [text.trim()] : placeholdersIn(text));
  });
  return named.flat();
}

function placeholdersIn(text: string): string[] {
  return text.includes('{{')
    ? Array.from(text.matchAll(/\{\{([^{}]*)\}\}/g), ([, inside = '']) =>
        (inside.split('|', 1)[0] ?? '').trim(),
      )
    : [];
}

/** Calls back with each text in a JSON value and its key. A node may have 100,000 texts. */
function eachText(value: unknown, tell: (text: string, key: string) => void, key = ''): void {
  if (typeof value === 'string') {
    tell(value, key);
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      eachText(member, tell, name);
    }
  }
}
