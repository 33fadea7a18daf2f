/**
 * The node and the value that `step.<nodeId>.<value>` names. A node's id may have dots, a value has none.
 */
export function stepReference(field: string): { nodeId: string; name: string } | undefined {
  if (!field.startsWith('step.')) {
    return undefined;
  }
  const [, nodeId, name] = /^step\.(.+)\.([^.]+)$/s.exec(field) ?? [];
  return nodeId === undefined || name === undefined ? undefined : { nodeId, name };
}
