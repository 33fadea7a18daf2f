import { hasLooseBraces, placeholderNames } from '../../../../shared/messages/fill-placeholders.ts';

/** The fields and steps that the texts in a node's data name. */
interface Named {
  /** The nodes in all fields `step.<nodeId>.…` and placeholders `{{step.<nodeId>.…}}`. */
  readonly nodes: ReadonlySet<string>;
  /** The names in all placeholders. */
  readonly placeholders: ReadonlySet<string>;
  /** Whether some texts have braces that belong to no placeholder. */
  readonly looseBraces: boolean;
}

export function namesIn(data: object): Named {
  const nodes = new Set<string>();
  const placeholders = new Set<string>();
  let looseBraces = false;
  const addNode = (name: string) => {
    const reference = stepReference(name);
    if (reference !== undefined) {
      nodes.add(reference.nodeId);
    }
  };
  eachText(data, (text) => {
    addNode(text);
    looseBraces ||= hasLooseBraces(text);
    for (const name of placeholderNames(text)) {
      placeholders.add(name);
      addNode(name);
    }
  });
  return { nodes, placeholders, looseBraces };
}

/** The fields that rules of a node's data compare, and the fields in placeholders of its texts. */
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

/**
 * The node and the value that `step.<nodeId>.<value>` names. A node's id may have dots, a value has none, but for what is within the `body` of
 * an answer: `step.<nodeId>.body.<path>`.
 */
export function stepReference(field: string): { nodeId: string; name: string } | undefined {
  if (!field.startsWith('step.')) {
    return undefined;
  }
  const [, nodeId, name] =
    /^step\.(.+?)\.(body\..+)$/s.exec(field) ?? /^step\.(.+)\.([^.]+)$/s.exec(field) ?? [];
  return nodeId === undefined || name === undefined ? undefined : { nodeId, name };
}
