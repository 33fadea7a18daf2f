import {
  type Begin,
  compactPart,
  type PartContext,
  usualLimits,
} from '../../shared/column-index/compaction.ts';

export type Compaction = Omit<PartContext, 'limits'> & { readonly limits?: Partial<PartContext['limits']> };

/** Does all parts, one after the other, as their messages would. */
export async function compactAll(
  { limits, ...compaction }: Compaction,
  begin: Begin | undefined = 'compaction',
): Promise<void> {
  const context = { ...compaction, limits: { ...usualLimits, settling: 0, ...limits } };
  let outcome = await compactPart(context, begin);
  while (typeof outcome === 'object') {
    outcome = await compactPart(context, outcome.begin);
  }
}
