import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { readPipelines } from '../../shared/contacts/pipeline.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { changeResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { newWebhookSecret } from '../../shared/kernel/secrets/webhook-secret.ts';
import { timestamp } from '../../shared/kernel/time.ts';
import { toConfigurationResponse } from './model/configuration.ts';
import { ConfigurationChanges, configurationDescriptions } from './model/configuration-fields.ts';
import { ConfigurationWithSecretResponse } from './model/configuration-response.ts';
import { findConfiguration } from './model/configurations.ts';
import {
  configured,
  namesStage,
  ownerActions,
  sealConfiguration,
  sealRequestedSecret,
} from './model/edit-configuration.ts';

export default operation({
  route: 'PUT /api/outreach/{id}',
  summary: 'Update an outreach configuration',
  description:
    'Fields you leave out keep their value. A pipeline without a stage means its first stage; `pipelineId: null` clears both. A new secret replaces the previous one at once; it is in the response only if the service generated it. Existing contacts stay as they are. An update that changes nothing keeps `updatedAt`.',
  family: 'plain',
  minimumRole: 'ADMIN',
  isClosedToKeys: true,
  body: ConfigurationChanges,
  descriptions: configurationDescriptions,
  output: changeResponse(ConfigurationWithSecretResponse),
  failures: ['NOT_FOUND'],
  example: {
    path: { id: demo.outreachConfiguration },
    body: { name: 'Contact form', createApplication: false },
  },
  uses: { table: 'write', secrets: 'seal' },
  async run({ path, body }, { table, secrets, now }) {
    const newSecret = newWebhookSecret(randomBytes);
    return table.optimistically(async () => {
      const [stored, { data }] = await Promise.all([
        findConfiguration(table, path.id),
        namesStage(body) ? readPipelines(table) : { data: { pipelines: [] } },
      ]);
      const secret = await sealRequestedSecret(secrets, stored.data, body, newSecret);
      const edited = configured(stored.data, body, secret, data.pipelines);
      if (isDeepStrictEqual(edited, stored.data)) {
        return ok({ message: 'No changes', data: toConfigurationResponse(edited) });
      }
      const configuration = await sealConfiguration(secrets, { ...edited, updatedAt: timestamp(now) });
      await table.commit([table.replace(stored, configuration), ...ownerActions(table, body)]);
      return ok({
        message: 'Outreach configuration updated',
        data: {
          ...toConfigurationResponse(configuration),
          ...(body.secret === true ? { secret: newSecret } : {}),
        },
      });
    });
  },
});
