import { parseJson } from '../../../../shared/kernel/exact-numbers.ts';
import { epochSeconds } from '../../../../shared/kernel/time.ts';
import { joined, type Key, type Space } from '../../../../shared/table/key.ts';
import {
  type Action,
  type Condition,
  type DeleteOptions,
  type TableWriter,
  transactionLimit,
  VersionConflict,
} from '../../../../shared/table/table.ts';
import { holds, updatedAttributes } from './expressions.ts';
import { type HeldRecord, keyText, type OverlayRows } from './overlay-rows.ts';

/** The effect of an overlay's action on the record at its key. */
interface Write {
  readonly rows: OverlayRows<never>;
  readonly key: Key<unknown, never>;
  /** Whether it depends on what is at the key. */
  readonly looks: boolean;
  /** The record afterwards; undefined for none. @throws when its condition fails. */
  after(current: HeldRecord | undefined): HeldRecord | undefined;
}

type Actions<S extends Space> = Pick<
  TableWriter<S>,
  'add' | 'replace' | 'put' | 'delete' | 'updateAction' | 'require'
>;

/** Builds the actions that write to these rows. */
export function overlayActions<S extends Space>(rows: OverlayRows<S>): Actions<S> {
  const action = (
    key: Key<unknown, S>,
    write: Pick<Write, 'looks' | 'after'>,
    otherwise?: Action['otherwise'],
  ) => ({
    request: { write: { ...write, rows, key } },
    ...(otherwise && { otherwise }),
  });

  const refuses = (otherwise: Action['otherwise'], existing: unknown) =>
    otherwise?.(existing) ?? new VersionConflict();

  return {
    add(key, data, { expiresAt, otherwise } = {}) {
      const refused = otherwise as Action['otherwise'];
      return action(key, {
        looks: true,
        after(current) {
          if (current !== undefined) {
            throw refuses(refused, current.data);
          }
          return held(data, { version: 1, expiresAt });
        },
      });
    },

    replace({ key, version }, data, { expiresAt } = {}) {
      return action(key, {
        looks: true,
        after(current) {
          requireVersion(current, version);
          return held(data, { version: version + 1, expiresAt });
        },
      });
    },

    put(key, data, options = {}) {
      return action(key, { looks: false, after: () => held(data, options) });
    },

    delete(key, options?: DeleteOptions) {
      return action(key, {
        looks: options !== undefined,
        after(current) {
          if (options !== undefined && !meets(options, key, current)) {
            throw options.otherwise?.() ?? new VersionConflict();
          }
          return undefined;
        },
      });
    },

    updateAction(key, { update, when, values, otherwise }) {
      return action(key, {
        looks: true,
        after(current) {
          const item = itemOf(key, current);
          if (when !== undefined && !holds(when, item, values)) {
            throw refuses(otherwise as Action['otherwise'], current?.attributes);
          }
          return { data: current?.data, attributes: updatedAttributes(update, item ?? keyOf(key), values) };
        },
      });
    },

    require(key, condition) {
      return action(key, {
        looks: true,
        after(current) {
          if (!meets(condition, key, current)) {
            throw refuses(condition.otherwise as Action['otherwise'], current?.attributes);
          }
          return current;
        },
      });
    },
  };
}

/** Applies the actions of overlays, all or none. */
export async function commitOver(actions: readonly Action[]): Promise<void> {
  if (actions.length > transactionLimit) {
    throw new Error(`A transaction has at most ${transactionLimit} actions`);
  }
  const writes = actions.flatMap(({ request }) => (request.write as Write | undefined) ?? []);
  const byRows = Map.groupBy(writes, ({ rows }) => rows);
  const current = new Map(
    await Promise.all(
      [...byRows].map(async ([rows, group]) => {
        const keys = group.map(({ key }) => key);
        if (new Set(keys.map(keyText)).size < keys.length) {
          throw new Error('Two actions of a transaction have the same key');
        }
        const looking = group.filter(({ looks }) => looks).map(({ key }) => key);
        return [rows, await rows.current(looking)] as const;
      }),
    ),
  );
  const applied = writes.map((write) => write.after(current.get(write.rows)?.get(keyText(write.key))));
  for (const [index, { rows, key }] of writes.entries()) {
    rows.set(key, applied[index]);
  }
}

/** This data as the table would give it back. */
function held(
  data: unknown,
  { version, expiresAt, bytes }: { version?: number; expiresAt?: Date | undefined; bytes?: Uint8Array },
): HeldRecord {
  return {
    data: parseJson(JSON.stringify(data)),
    attributes: {
      ...(version !== undefined && { version }),
      ...(expiresAt && { expiresAt: epochSeconds(expiresAt) }),
      ...(bytes && { bytes }),
    },
  };
}

function requireVersion(current: HeldRecord | undefined, version: number): void {
  if (current === undefined || current.attributes.version !== version) {
    throw new VersionConflict();
  }
}

function meets(condition: Condition, key: Key<unknown, Space>, current: HeldRecord | undefined): boolean {
  return 'when' in condition
    ? holds(condition.when, itemOf(key, current), condition.values)
    : current?.attributes.version === condition.ifVersion;
}

const keyOf = ({ partition, sort }: Key<unknown, Space>) => ({ pk: joined(partition), sk: joined(sort) });

/** The attributes with those of the key, which conditions ask for. */
function itemOf(key: Key<unknown, Space>, current: HeldRecord | undefined) {
  return current && { ...keyOf(key), ...current.attributes };
}
