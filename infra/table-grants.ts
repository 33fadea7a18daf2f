import type { Grant } from './grant.ts';

/** What a port may do on the table. Whoever writes, reads too. */
export interface TableAccess {
  /** Pattern of the partitions it may reach: `ORG#*`. */
  readonly partitions: string;
  readonly access: 'read' | 'write';
}

/**
 * The table's statements for all ports of one function. Each action has a single statement over all key spaces: a
 * transaction may touch two of them, and of a statement for each, none would cover all keys of the request.
 */
export function tableGrants(ports: readonly { readonly table?: TableAccess }[], tableArn: string): Grant[] {
  const accesses = ports.flatMap(({ table }) => table ?? []);
  const readable = patternsOf(accesses);
  const writable = patternsOf(accesses.filter(({ access }) => access === 'write'));
  return [
    ...boundTo(readable, ['dynamodb:Query', 'dynamodb:GetItem', 'dynamodb:BatchGetItem'], [tableArn]),
    ...boundTo(
      writable,
      ['dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem', 'dynamodb:ConditionCheckItem'],
      [tableArn],
    ),
  ];
}

function patternsOf(accesses: readonly TableAccess[]): string[] {
  return [...new Set(accesses.map(({ partitions }) => partitions))];
}

/** No statement without a space. `ForAllValues` also holds for a request without the key: `Null` refuses that one. */
function boundTo(
  patterns: readonly string[],
  actions: readonly string[],
  resources: readonly string[],
): Grant[] {
  if (patterns.length === 0) {
    return [];
  }
  const conditions = {
    'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': patterns },
    Null: { 'dynamodb:LeadingKeys': 'false' },
  };
  return [{ actions, resources, conditions }];
}
