import type { Timestamp } from '../../../shared/kernel/time.ts';
import type { PlatformKey, PlatformRange } from '../../../shared/table/key.ts';

/** An entry of the registry of AI models. Source: specification, "AI model registry entry". */
export interface AiModel {
  _id: string;
  providerName: string;
  /** The gateway's name for the provider; unique. */
  gatewayUniqueName: string;
  websiteUrl: string;
  modelDetails: { modelName: string; description: string }[];
  createdAt: Timestamp;
  updatedAt: Timestamp;
}

export const aiModelKey = (id: string): PlatformKey<AiModel> => ({ partition: ['AI'], sort: ['MODEL', id] });

export const aiModelRange = (): PlatformRange<AiModel> => ({ partition: ['AI'], under: ['MODEL'] });

/** Locks a name for gateways, which is unique. */
export const aiModelNameKey = (digest: string): PlatformKey<{ modelId: string }> => ({
  partition: ['AI'],
  sort: ['NAME', digest],
});
