import type { Space } from '../../../../shared/table/key.ts';
import type { TableReader } from '../../../../shared/table/table.ts';

/** A table without records: below an overlay, for what a simulation writes and nothing reads but itself. */
export function emptyTable<S extends Space>(): TableReader<S> {
  return {
    organizationId: '',
    read: async () => undefined,
    readMany: async (keys) => keys.map(() => undefined),
    list: async () => [],
    page: async () => ({ records: [], nextCursor: null }),
    async *rows() {},
    optimistically: (attempt) => attempt(),
  };
}
