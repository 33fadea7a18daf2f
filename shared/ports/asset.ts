import { Asset, type BuiltAsset } from '../kernel/http/asset.ts';

/** A document made when the bundle is built. The process shares one instance, so that it is decompressed once. */
export function provideAsset(built: BuiltAsset): () => Asset {
  const asset = new Asset(built);
  return () => asset;
}
