import type { Grant } from '../grant.ts';

/** The access of a port to the table. Write access includes reading. */
export interface TableAccess {
  /** Pattern of its partitions, such as `ORG#*`. */
  readonly partitions: string;
  /** `check` is for reading, and for conditions on records in the transactions of other ports. */
  readonly access: 'read' | 'check' | 'write';
}

/**
 * The IAM statements on the table for all ports of one function. Each action has one statement for all key spaces: a transaction may use
 * two spaces, and neither of two statements would cover all keys of its request.
 */
export function tableGrants(ports: readonly { readonly table?: TableAccess }[], tableArn: string): Grant[] {
  const accesses = ports.flatMap(({ table }) => table ?? []);
  const readable = patternsOf(accesses);
  const writable = patternsOf(accesses.filter(({ access }) => access === 'write'));
  const checked = patternsOf(accesses.filter(({ access }) => access !== 'read'));
  const check = 'dynamodb:ConditionCheckItem';
  const isCheckedAlone = checked.length > writable.length;
  return [
    ...boundTo(readable, ['dynamodb:Query', 'dynamodb:GetItem', 'dynamodb:BatchGetItem'], [tableArn]),
    ...boundTo(
      writable,
      [
        'dynamodb:PutItem',
        'dynamodb:UpdateItem',
        'dynamodb:DeleteItem',
        ...(isCheckedAlone ? [] : [check]),
        'dynamodb:BatchWriteItem',
      ],
      [tableArn],
    ),
    ...boundTo(isCheckedAlone && writable.length > 0 ? checked : [], [check], [tableArn]),
  ];
}

function patternsOf(accesses: readonly TableAccess[]): string[] {
  return [...new Set(accesses.map(({ partitions }) => partitions))];
}

/** A statement for some partitions. `ForAllValues` also allows requests without keys, which `Null` refuses. */
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
