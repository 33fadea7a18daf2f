import type { ListToolsResult } from '@modelcontextprotocol/server';
import { type Caller, reaches } from '../../../shared/kernel/caller.ts';
import { type KeyedOperation, keyRefusal } from '../../../shared/kernel/http/key-access.ts';
import type { Operation } from '../../../shared/kernel/operation.ts';

/** A tool as the build makes it from an operation: what an agent reads of it, and how its arguments become a request. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Path, query and body of the operation in one object. */
  readonly inputSchema: ListToolsResult['tools'][number]['inputSchema'];
  readonly annotations: { readonly readOnlyHint: boolean; readonly destructiveHint: boolean };
  readonly operation: KeyedOperation & Pick<Operation, 'minimumRole'>;
  /** The arguments that belong into the query; the others that are not in the path belong into the body. */
  readonly queryNames: readonly string[];
  readonly hasBody: boolean;
}

/** What the build stores for agents: all tools of the product, in the order in which agents see them, and its version. */
export interface Toolbox {
  readonly version: string;
  readonly tools: readonly Tool[];
}

/** Whether the kernel would let the caller use the operation of the tool. */
export function mayUse({ operation }: Tool, { role, key }: Pick<Caller, 'role' | 'key'>): boolean {
  const { minimumRole } = operation;
  return (
    key !== undefined &&
    keyRefusal(operation, key) === undefined &&
    (minimumRole === 'anyone' || reaches(role, minimumRole))
  );
}
