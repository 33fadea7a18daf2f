import { attributesFor, boardCounterKey } from '../../shared/contact-aggregate/counters.ts';
import { type Pipeline, pipelinesKey } from '../../shared/contacts/pipeline.ts';
import type { Call } from '../harness/call.ts';
import type { Person, Product } from '../harness/product.ts';
import { expectStatus, newPhoneNumber, type Tenants } from '../harness/tenants.ts';

export type PipelinesClient = ReturnType<typeof pipelinesClient>;

interface NewPipeline {
  name: string;
  /** By their names. */
  stages: readonly string[];
  type?: Pipeline['type'];
  isActive?: boolean;
}

/** The operations on pipelines, as one ADMIN calls them. */
export function pipelinesClient(product: Product, { token }: Person) {
  const call = (name: string, more: Call) => product.call(name, { token, ...more });
  const create = (body: Record<string, unknown>) => call('create-pipeline', { body });
  const list = async (type?: Pipeline['type']): Promise<Pipeline[]> =>
    expectStatus(await call('list-pipelines', { query: type ? { type } : {} }), 200).data;
  const update = (id: string, body: Record<string, unknown>, at?: Date) =>
    call('update-pipeline', { path: { id }, body, at });
  return {
    create,
    update,
    remove: (id: string) => call('delete-pipeline', { path: { id } }),
    list,
    /** A new pipeline; creating it must succeed. */
    async created({ stages, type = 'Contact', ...body }: NewPipeline): Promise<Pipeline> {
      const named = stages.map((name) => ({ name }));
      return expectStatus(await create({ ...body, type, stages: named }), 201).data;
    },
    /** Ids of the stages of the first pipeline of a type, by their names. */
    async stageIds(type: Pipeline['type']): Promise<Record<string, string>> {
      const [pipeline] = await list(type);
      return Object.fromEntries(pipeline?.stages.map(({ _id, name }) => [name, _id]) ?? []);
    },
    /** Makes the first pipeline of a type inactive; that pipeline. */
    async deactivate(type: Pipeline['type']): Promise<Pipeline> {
      const [pipeline] = (await list(type)) as [Pipeline];
      expectStatus(await update(pipeline._id, { isActive: false }), 200);
      return pipeline;
    },
    /** The pipeline of this id as it is. */
    async find(id: string): Promise<Pipeline> {
      const pipeline = (await list()).find(({ _id }) => _id === id);
      if (pipeline === undefined) {
        throw new Error(`There is no pipeline ${id}`);
      }
      return pipeline;
    },
  };
}

/** Takes the pipelines for contacts from an organization, which no operation does: a 404 is all that is left for unknown numbers. */
export async function loseContactPipelines(product: Product, { organizationId }: Person): Promise<void> {
  const { table } = product.tableOf(organizationId);
  const stored = await table.read(pipelinesKey());
  if (stored === undefined) {
    throw new Error('The organization has no pipelines');
  }
  const pipelines = stored.data.pipelines.filter(({ type }) => type !== 'Contact');
  await table.commit([
    table.replace(stored, { pipelines }),
    ...stored.data.pipelines.flatMap(({ _id, stages: [first] }) =>
      Array.from({ length: 8 }, (_, shard) =>
        table.updateAction(boardCounterKey(_id, ['all'], shard), {
          update: `REMOVE ${attributesFor(first?._id ?? '').guard}`,
        }),
      ),
    ),
  ]);
}

const firstStage = 'To spare';

/**
 * A pipeline that nothing depends on: the one made for this before, as long as it is there, since an organization may have 50.
 */
export async function sparePipeline({ product, admin }: Tenants): Promise<Pipeline> {
  const pipelines = pipelinesClient(product, admin);
  const spare = (await pipelines.list()).find(
    ({ isActive, stages }) => !isActive && stages[0]?.name === firstStage,
  );
  return spare ?? pipelines.created({ name: newPhoneNumber(), type: 'Application', stages: [firstStage] });
}
