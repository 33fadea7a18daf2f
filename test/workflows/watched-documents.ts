import type { Provider } from '../../shared/kernel/ports.ts';
import type { Documents } from '../../shared/kernel/providers/objects.ts';
import type { Product } from '../harness/product.ts';

/** Stands between the product and the real object store. */
export interface WatchedDocuments {
  /** Keys of the objects that are there. */
  readonly kept: ReadonlySet<string>;
  /** The next call of this kind does this before the real one. */
  before(kind: keyof Documents, act: () => Promise<unknown> | unknown): void;
  /** How many calls of this kind there were. */
  count(kind: keyof Documents): number;
  restore(): void;
}

/** From now on every operation of the product stores documents through this. */
export async function watchedDocuments(product: Product): Promise<WatchedDocuments> {
  const kept = new Set<string>();
  const awaited = new Map<keyof Documents, (() => Promise<unknown> | unknown)[]>();
  const counts = new Map<keyof Documents, number>();
  const real = await product.objects.provider('documents');

  const arrive = async (kind: keyof Documents) => {
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
    await awaited.get(kind)?.shift()?.();
  };
  const provider: Provider = (call) => {
    const documents = real(call) as Documents;
    return {
      async get(key) {
        await arrive('get');
        return documents.get(key);
      },
      async put(key, bytes) {
        await arrive('put');
        await documents.put(key, bytes);
        kept.add(key);
      },
      async remove(key) {
        await arrive('remove');
        await documents.remove(key);
        kept.delete(key);
      },
    } satisfies Documents;
  };
  Object.assign(product.providers, { objects: provider });
  return {
    kept,
    before: (kind, act) => void awaited.set(kind, [...(awaited.get(kind) ?? []), act]),
    count: (kind) => counts.get(kind) ?? 0,
    restore: () => void Reflect.deleteProperty(product.providers, 'objects'),
  };
}
