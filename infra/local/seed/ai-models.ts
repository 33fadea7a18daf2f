import { nameSteps } from '../../../shared/ai/registry.ts';
import { platformKeys } from '../../../shared/table/platform-keys.ts';
import type { Step, TableWriter } from '../../../shared/table/table.ts';
import { timestamp } from '../../../shared/time.ts';
import type { Randomness } from './randomness.ts';

const providers = [
  {
    providerName: 'Northwind AI',
    gatewayUniqueName: 'northwind',
    websiteUrl: 'https://northwind.example.com',
    modelDetails: [
      { modelName: 'breeze-2', description: 'Quick answers to short questions' },
      { modelName: 'gale-2', description: 'Long texts and careful summaries' },
    ],
  },
  {
    providerName: 'Contoso Voice',
    gatewayUniqueName: 'contoso-voice',
    websiteUrl: 'https://voice.example.org',
    modelDetails: [{ modelName: 'echo-1', description: 'Transcripts of calls' }],
  },
];

/** The registry that all organizations share. */
export function aiModelSteps(platform: TableWriter, random: Randomness, at: Date): Step[] {
  return providers.flatMap((provider) => {
    const times = { createdAt: timestamp(at), updatedAt: timestamp(at) };
    const model = { _id: random.idAt(at), ...provider, ...times };
    return [platform.add(platformKeys.aiModel(model._id), model), ...nameSteps(platform, undefined, model)];
  });
}
