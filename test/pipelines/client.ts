import type { Pipeline } from '../../shared/pipelines/pipeline.ts';
import type { Answer, Person, Product } from '../harness/product.ts';
import { expectStatus } from '../harness/world.ts';

/** The operations on pipelines, as one ADMIN calls them. */
export interface PipelinesClient {
  create(body: Record<string, unknown>): Promise<Answer>;
  update(id: string, body: Record<string, unknown>, at?: Date): Promise<Answer>;
  remove(id: string): Promise<Answer>;
  list(type?: Pipeline['type']): Promise<Pipeline[]>;
  /** A new pipeline; creating it must succeed. Stages are given by their names. */
  created(body: {
    name: string;
    stages: readonly string[];
    type?: Pipeline['type'];
    isActive?: boolean;
  }): Promise<Pipeline>;
  /** Ids of the stages of the first pipeline of a type, by their names. */
  stageIds(type: Pipeline['type']): Promise<Record<string, string>>;
  /** The pipeline of this id as it is. */
  find(id: string): Promise<Pipeline>;
}

export function pipelinesClient(product: Product, { token }: Person): PipelinesClient {
  const create = (body: Record<string, unknown>) => product.call('create-pipeline', { token, body });
  const list = async (type?: Pipeline['type']): Promise<Pipeline[]> =>
    expectStatus(await product.call('list-pipelines', { token, query: type ? { type } : {} }), 200).data;
  return {
    create,
    update: (id, body, at) =>
      product.call('update-pipeline', { token, path: { id }, body, ...(at === undefined ? {} : { at }) }),
    remove: (id) => product.call('delete-pipeline', { token, path: { id } }),
    list,
    async created({ stages, type = 'Contact', ...body }) {
      const named = stages.map((name) => ({ name }));
      return expectStatus(await create({ ...body, type, stages: named }), 201).data;
    },
    async stageIds(type) {
      const [pipeline] = await list(type);
      return Object.fromEntries(pipeline?.stages.map(({ _id, name }) => [name, _id]) ?? []);
    },
    async find(id) {
      const pipeline = (await list()).find(({ _id }) => _id === id);
      if (pipeline === undefined) {
        throw new Error(`There is no pipeline ${id}`);
      }
      return pipeline;
    },
  };
}
