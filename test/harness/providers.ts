import { buildAsset } from '../../infra/bundle/assets.ts';
import { stepOperations } from '../../infra/function-plan.ts';
import { loadOperations, ofKind } from '../../infra/registry.ts';
import type { Uses } from '../../shared/kernel/operation.ts';
import type { Provider } from '../../shared/kernel/ports.ts';
import type { Providers } from '../../shared/kernel/serve/invocation.ts';
import { provideAsset } from '../../shared/ports/asset.ts';
import { provideDueOperations } from '../../shared/ports/due-operations.ts';
import { provideStepOperations } from '../../shared/ports/step-operations.ts';
import type { TestObjects } from './objects.ts';

/** Read once for all test files of a process. */
export const allOperations = await loadOperations();

const assetProviders = new Map<string, Promise<Provider>>();

/** Made once for all tests of a process: to compress a document takes longer than many a test. */
function assetProvider(name: string): Promise<Provider> {
  const provider = assetProviders.get(name) ?? buildAsset(name, allOperations).then(provideAsset);
  assetProviders.set(name, provider);
  return provider;
}

/** The ports that are something else for each access. */
export async function providersByAccess(
  { asset, objects: access }: Uses,
  objects: TestObjects,
): Promise<Providers> {
  return {
    ...(asset && { asset: await assetProvider(asset) }),
    ...(access && { objects: await objects.provider(access) }),
  };
}

/**
 * The ports through which some operations run others, each of these with the providers that are there when it runs: tests put other
 * ones in.
 */
export async function operationProviders(
  providers: Providers,
  objects: TestObjects,
): Promise<Pick<Providers, 'dueOperations' | 'stepOperations'>> {
  const withOwn = <One extends { operation: { uses: Uses } }>(found: readonly One[]) =>
    Promise.all(
      found.map(async (one) => ({ ...one, own: await providersByAccess(one.operation.uses, objects) })),
    );
  const due = await withOwn(ofKind(allOperations, 'due'));
  const performed = await withOwn(stepOperations(allOperations));
  return {
    stepOperations: (scope) =>
      provideStepOperations(
        performed.map(({ own, name, operation }) => ({
          name,
          load: async () => operation,
          providers: { ...own, ...providers },
        })),
      )(scope),
    dueOperations: (scope) =>
      provideDueOperations(
        due.map(({ own, name, operation }) => ({
          ...{ name, on: operation.on },
          load: async () => operation,
          providers: { ...own, ...providers },
        })),
      )(scope),
  };
}
