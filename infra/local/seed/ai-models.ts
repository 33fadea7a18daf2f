import { aiModelKey } from '../../../functions/ai/model/model.ts';
import { nameSteps } from '../../../functions/ai/model/registry.ts';
import * as demo from '../../../shared/demo-ids.ts';
import { timestamp } from '../../../shared/kernel/time.ts';
import type { Step, TableWriter } from '../../../shared/table/table.ts';

const providers = [
  {
    _id: demo.aiModel,
    providerName: 'Northwind AI',
    gatewayUniqueName: 'northwind',
    websiteUrl: 'https://northwind.example.com',
    modelDetails: [
      { modelName: 'breeze-2', description: 'Quick answers to short questions' },
      { modelName: 'gale-2', description: 'Long texts and careful summaries' },
    ],
  },
  {
    _id: demo.spareAiModel,
    providerName: 'Contoso Voice',
    gatewayUniqueName: 'contoso-voice',
    websiteUrl: 'https://voice.example.org',
    modelDetails: [{ modelName: 'echo-1', description: 'Transcripts of calls' }],
  },
];

/** The registry that all organizations share. */
export function aiModelSteps(platform: TableWriter<'platform'>, at: Date): Step[] {
  return providers.flatMap((provider) => {
    const times = { createdAt: timestamp(at), updatedAt: timestamp(at) };
    const model = { ...provider, ...times };
    return [platform.add(aiModelKey(model._id), model), ...nameSteps(platform, undefined, model)];
  });
}
