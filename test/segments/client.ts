import type { Call } from '../harness/call.ts';
import type { Person, Product } from '../harness/product.ts';
import { everyPage, expectStatus, type Tenants } from '../harness/tenants.ts';

type Fields = Record<string, unknown>;

export interface SegmentRecord {
  readonly _id: string;
  readonly name: string;
  readonly filter: Fields;
  readonly isShared: boolean;
  readonly createdBy: string;
  readonly problems: string[];
}

export type SegmentsClient = ReturnType<typeof segmentsClient>;

/** The operations on segments, as one person calls them. */
export function segmentsClient(product: Product, { token }: Person) {
  const call = (name: string, more: Call) => product.call(name, { token, ...more });
  const create = (body: Fields) => call('create-segment', { body });
  return {
    create,
    read: (id: string) => call('read-segment', { path: { id } }),
    update: (id: string, body: Fields, at?: Date) => call('update-segment', { path: { id }, body, at }),
    remove: (id: string) => call('delete-segment', { path: { id } }),
    count: (id: string) => call('count-segment', { path: { id } }),
    /** How many contacts the person finds in it; counting must succeed. */
    counted: async (id: string): Promise<{ count: number; problems: string[] }> =>
      expectStatus(await call('count-segment', { path: { id } }), 200).data,
    listed: (): Promise<SegmentRecord[]> => everyPage((query) => call('list-segments', { query })),
    /** A new segment of this filter; creating it must succeed. */
    created: async (filter: Fields, more: Fields = {}): Promise<SegmentRecord> =>
      expectStatus(await create({ name: 'Some', filter, ...more }), 201).data,
  };
}

const spareName = 'To spare';

/** A shared segment of a person that nothing depends on: the one made for this before, as long as it is there. */
export async function spareSegment({ product }: Tenants, person: Person): Promise<SegmentRecord> {
  const segments = segmentsClient(product, person);
  const spare = (await segments.listed()).find(
    ({ name, createdBy }) => name === spareName && createdBy === person.userId,
  );
  return spare ?? segments.created({ search: 'nobody' }, { name: spareName, isShared: true });
}
