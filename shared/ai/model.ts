import type { Timestamp } from '../time.ts';

/** An entry of the registry of AI models, which all organizations share. Source: specification, "AI model registry entry". */
export interface AiModel {
  _id: string;
  providerName: string;
  /** Unique: what a gateway calls the provider. */
  gatewayUniqueName: string;
  websiteUrl: string;
  modelDetails: { modelName: string; description: string }[];
  createdAt: Timestamp;
  updatedAt: Timestamp;
}
