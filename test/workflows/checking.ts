import type { Person } from '../harness/product.ts';
import { expectStatus, type Tenants } from '../harness/tenants.ts';
import { workflowsClient } from './client.ts';

const position = { x: 0, y: 0 };

export const node = (id: string, type: string, data: Record<string, unknown> = {}) => ({
  id,
  type,
  position,
  data,
});

export const edge = (source: string, target: string, sourceHandle?: string | null) => ({
  id: `${source}-${target}-${sourceHandle}`,
  source,
  target,
  ...(sourceHandle !== undefined && { sourceHandle }),
});

export const trigger = node('start', 'trigger', { event: 'contact.created' });

/** Checks workflows of the representative. */
export function checksIn({ product, rep }: Tenants) {
  const check = (id: string, { token } = rep) => product.call('check-workflow', { token, path: { id } });

  /** The problems that a caller is told of, each as `node severity: message`. */
  async function toldOf(id: string, caller: Person): Promise<string[]> {
    const { problems } = expectStatus(await check(id, caller), 200).data;
    return problems.map(
      ({ nodeId, severity, message }: Record<string, string | null>) => `${nodeId} ${severity}: ${message}`,
    );
  }

  return {
    check,
    toldOf,
    async problemsOf(graph: Record<string, unknown>): Promise<string[]> {
      const { _id } = await workflowsClient(product, rep).created(graph);
      return toldOf(_id, rep);
    },
  };
}
