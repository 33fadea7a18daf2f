import { Failure, notFound } from '../../../shared/kernel/failure.ts';
import { toDigest } from '../../../shared/table/digest.ts';
import type { Action, Stored, TableReader, TableWriter } from '../../../shared/table/table.ts';
import type { AiModel } from './model.ts';
import { aiModelKey, aiModelNameKey } from './model.ts';

/** @throws a 404 `Failure` for a missing entry. */
export async function findModel(
  platform: TableReader<'platform'>,
  id: string,
): Promise<Stored<AiModel, 'platform'>> {
  const stored = await platform.read(aiModelKey(id));
  if (stored === undefined) {
    throw notFound('AI model');
  }
  return stored;
}

/** The actions that take a unique name for one entry and release another's. */
export function nameActions(
  platform: TableWriter<'platform'>,
  before: Pick<AiModel, 'gatewayUniqueName'> | undefined,
  after: AiModel | undefined,
): Action[] {
  const [had, has] = [before, after].map((model) => model?.gatewayUniqueName);
  if (had === has) {
    return [];
  }
  const key = (name: string) => aiModelNameKey(toDigest(name));
  const otherwise = () => new Failure('CONFLICT', 'Another AI model already has this gatewayUniqueName.');
  return [
    ...(had === undefined ? [] : [platform.delete(key(had))]),
    ...(has === undefined || after === undefined
      ? []
      : [platform.add(key(has), { modelId: after._id }, { otherwise })]),
  ];
}
