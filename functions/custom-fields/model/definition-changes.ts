import {
  definitionLimits,
  type FieldDefinition,
  readFieldDefinitions,
} from '../../../shared/contacts/field-definition.ts';
import { Failure } from '../../../shared/kernel/failure.ts';
import type { TableWriter } from '../../../shared/table/table.ts';

/** The new definitions, and the result for the client. */
interface Decided<Result> {
  /** The given array if nothing changes. */
  readonly definitions: readonly FieldDefinition[];
  readonly result: Result;
}

/**
 * Writes what `decide` makes of the organization's definitions, and calls it again after a conflict.
 * @throws a 400 `Failure` for options that do not suit a type, and a 409 for a key that is taken and beyond the limits.
 */
export function changeDefinitions<Result>(
  table: TableWriter,
  decide: (definitions: readonly FieldDefinition[]) => Decided<Result>,
): Promise<Result> {
  return table.optimistically(async () => {
    const stored = await readFieldDefinitions(table);
    const before = stored.data.definitions;
    const { definitions, result } = decide(before);
    if (definitions !== before) {
      requireAllowed(definitions);
      const data = { definitions: [...definitions] };
      await table.commit([stored.version === 0 ? table.add(stored.key, data) : table.replace(stored, data)]);
    }
    return result;
  });
}

function requireAllowed(definitions: readonly FieldDefinition[]): void {
  for (const { type, options } of definitions) {
    const hasOptions = type === 'oneOf' || type === 'anyOf';
    if (hasOptions !== options.length > 0) {
      throw new Failure(
        'INVALID',
        hasOptions
          ? `options is required for a field of type ${type}`
          : `options is only for oneOf and anyOf`,
      );
    }
  }
  const keys = new Set(definitions.map(({ appliesTo, key }) => `${appliesTo} ${key}`));
  if (keys.size < definitions.length) {
    throw new Failure('CONFLICT', 'Another definition for these records already has this key.');
  }
  if (definitions.length > definitionLimits.count) {
    throw new Failure(
      'CONFLICT',
      `The organization already has ${definitionLimits.count} definitions, the maximum. Delete one first.`,
    );
  }
  if (Buffer.byteLength(JSON.stringify({ definitions })) > definitionLimits.bytes) {
    throw new Failure(
      'CONFLICT',
      `All definitions of an organization together may take at most ${definitionLimits.bytes / 1024} KB. Use fewer or shorter options.`,
    );
  }
}
