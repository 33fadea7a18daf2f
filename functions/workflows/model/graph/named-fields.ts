/** The nodes in all fields `step.<nodeId>.…` and placeholders `{{step.<nodeId>.…}}` of a node's data. */
export function nodesNamedIn(data: unknown): string[] {
  return textsIn(data).flatMap((text) =>
    [text, ...placeholdersIn(text)].flatMap((name) => {
      const reference = stepReference(name);
      return reference === undefined ? [] : [reference.nodeId];
    }),
  );
}

/** The fields that rules of a node's data compare, and those that stand in placeholders of its texts. */
export function fieldsNamedIn(data: unknown): string[] {
  if (typeof data === 'string') {
    return placeholdersIn(data);
  }
  return typeof data === 'object' && data !== null
    ? Object.entries(data).flatMap(([key, value]) =>
        key === 'field' && typeof value === 'string' ? [value.trim()] : fieldsNamedIn(value),
      )
    : [];
}

/**
 * The node and the value that `step.<nodeId>.<value>` names. A node's id may have dots, a value has none.
 */
export function stepReference(field: string): { nodeId: string; name: string } | undefined {
  const [, nodeId, name] = /^step\.(.+)\.([^.]+)$/s.exec(field) ?? [];
  return nodeId === undefined || name === undefined ? undefined : { nodeId, name };
}

function placeholdersIn(text: string): string[] {
  return Array.from(text.matchAll(/\{\{([^{}]*)\}\}/g), ([, inside = '']) =>
    (inside.split('|', 1)[0] ?? '').trim(),
  );
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') {
    return [value];
  }
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
