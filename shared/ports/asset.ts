import { Asset, type BuiltAsset } from '../kernel/asset.ts';

/** A document that was made when the bundle was built; one for the process, so that it is decompressed once. */
export function provideAsset(built: BuiltAsset): () => Asset {
  const asset = new Asset(built);
  return () => asset;
}
