import { randomBytes } from 'node:crypto';
import * as z from 'zod/mini';
import { readPipelines } from '../../shared/contacts/pipeline.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { changeResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { newWebhookSecret } from '../../shared/kernel/secrets/webhook-secret.ts';
import { timestamp } from '../../shared/kernel/time.ts';
import {
  configurationKey,
  configurationOrganizationKey,
  toConfigurationResponse,
} from './model/configuration.ts';
import { ConfigurationFields, configurationDescriptions } from './model/configuration-fields.ts';
import { ConfigurationWithSecretResponse } from './model/configuration-response.ts';
import { oneMoreConfiguration } from './model/configurations.ts';
import {
  configured,
  namesStage,
  newConfiguration,
  ownerActions,
  sealConfiguration,
  sealRequestedSecret,
} from './model/edit-configuration.ts';

export default operation({
  route: 'POST /api/outreach',
  summary: 'Create an outreach configuration',
  description:
    'A configuration says how leads of one source become contacts; the source sends them to `POST /api/webhook/outreach` with the id of the configuration. A secret, whether generated or sent, is in this response only; later on, `hasSecret` says whether there is one. An organization can have at most 200 configurations (409 beyond that).',
  family: 'plain',
  minimumRole: 'ADMIN',
  isClosedToKeys: true,
  status: 201,
  body: z.object({ ...z.partial(z.object(ConfigurationFields)).shape, name: ConfigurationFields.name }),
  descriptions: {
    ...configurationDescriptions,
    createApplication: `${configurationDescriptions.createApplication} False by default.`,
    isActive: `${configurationDescriptions.isActive} True by default.`,
  },
  output: changeResponse(ConfigurationWithSecretResponse),
  failures: ['NOT_FOUND', 'CONFLICT'],
  example: { body: { name: 'Spring campaign', source: 'Facebook', createApplication: true, secret: true } },
  uses: { table: 'write', identity: 'write', secrets: 'seal' },
  async run({ body }, { table, identity, secrets, caller, now, newId }) {
    const { organizationId, userId } = caller;
    const at = timestamp(now);
    const pipelines = namesStage(body) ? (await readPipelines(table)).data.pipelines : [];
    const blank = newConfiguration({ _id: newId(), organizationId, userId, name: body.name }, at);
    const secret = await sealRequestedSecret(secrets, blank, body, newWebhookSecret(randomBytes));
    const configuration = configured(blank, body, secret, pipelines);
    const { _id: id } = configuration;
    await table.commit([
      oneMoreConfiguration(table),
      table.add(configurationKey(id), await sealConfiguration(secrets, configuration)),
      identity.add(configurationOrganizationKey(id), { organizationId }),
      ...ownerActions(table, body),
    ]);
    return ok({
      message: 'Outreach configuration created',
      data: { ...toConfigurationResponse(configuration), ...(secret && { secret }) },
    });
  },
});
