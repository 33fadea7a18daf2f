import type { PortTypes } from '../shared/kernel/ports.ts';
import { asyncApiDocument } from './openapi/async-api.ts';
import { openApiDocument } from './openapi/document.ts';
import { documentationPage } from './openapi/documentation-page.ts';
import type { Registered } from './registry.ts';

type Asset = keyof PortTypes['asset'];

const made: Record<Asset, (operations: readonly Registered[]) => Promise<string>> = {
  openapi: async (operations) => JSON.stringify(openApiDocument(operations)),
  asyncapi: async (operations) => JSON.stringify(asyncApiDocument(operations)),
  documentation: documentationPage,
};

/** The text of a file that is made when the bundle is built. */
export function assetText(asset: string, operations: readonly Registered[]): Promise<string> {
  if (!Object.hasOwn(made, asset)) {
    throw new Error(`There is no asset "${asset}".`);
  }
  return made[asset as Asset](operations);
}
