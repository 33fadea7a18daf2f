import type { Pipeline } from '../../../shared/contacts/pipeline.ts';
import { requestedStage } from '../../../shared/contacts/stages.ts';
import { definedOnly } from '../../../shared/kernel/defined-only.ts';
import type { SecretSealer } from '../../../shared/kernel/secrets/sealed-secrets.ts';
import type { Timestamp } from '../../../shared/kernel/time.ts';
import { requiredUserActions } from '../../../shared/organizations/required-users.ts';
import type { Action, TableWriter } from '../../../shared/table/table.ts';
import { configurationSecretLocation, type StoredConfiguration } from './configuration.ts';
import type { ConfigurationChanges } from './configuration-fields.ts';

/** A configuration with nothing but its name. */
export function newConfiguration(
  fields: Pick<StoredConfiguration, '_id' | 'organizationId' | 'userId' | 'name'>,
  at: Timestamp,
): StoredConfiguration {
  return {
    ...fields,
    source: null,
    pipelineId: null,
    stageId: null,
    ownerId: null,
    createApplication: false,
    isActive: true,
    createdAt: at,
    updatedAt: at,
  };
}

/**
 * The configuration with its changed fields, and with the secret of `sealRequestedSecret`.
 * @throws a 404 `Failure` for a missing pipeline or stage.
 */
export function configured(
  configuration: StoredConfiguration,
  { secret: _, pipelineId, stageId, ...fields }: ConfigurationChanges,
  secret: string | null | undefined,
  pipelines: readonly Pipeline[],
): StoredConfiguration {
  const { secret: before, ...rest } = configuration;
  const after = secret === undefined ? before : secret;
  return {
    ...rest,
    ...definedOnly(fields),
    ...withStage(configuration, { pipelineId, stageId }, pipelines),
    ...(after ? { secret: after } : {}),
  };
}

/** The configuration as it is written: with its secret sealed. */
export async function sealConfiguration(
  secrets: SecretSealer,
  configuration: StoredConfiguration,
): Promise<StoredConfiguration> {
  const { secret } = configuration;
  return typeof secret === 'string'
    ? { ...configuration, secret: await secrets.seal(secret, configurationSecretLocation(configuration)) }
    : configuration;
}

/** The secret that a request asks for: `newSecret` for `true`, null for none; undefined to keep the one there is, also if it is sent again. */
export async function sealRequestedSecret(
  secrets: SecretSealer,
  configuration: StoredConfiguration,
  { secret }: ConfigurationChanges,
  newSecret: string,
): Promise<string | null | undefined> {
  const { secret: before } = configuration;
  if (typeof secret !== 'string' || before === undefined) {
    return secret === true ? newSecret : secret;
  }
  return secret === (await secrets.open(before, configurationSecretLocation(configuration)))
    ? undefined
    : secret;
}

/** Whether the changes name a pipeline or a stage, which the pipelines must confirm. */
export function namesStage({ pipelineId, stageId }: ConfigurationChanges): boolean {
  return Boolean(pipelineId) || Boolean(stageId);
}

/** A stage belongs to one pipeline, so changing either replaces both. */
function withStage(
  before: StoredConfiguration,
  { pipelineId, stageId }: Pick<ConfigurationChanges, 'pipelineId' | 'stageId'>,
  pipelines: readonly Pipeline[],
): Pick<StoredConfiguration, 'pipelineId' | 'stageId'> {
  if (stageId) {
    const stageRef = requestedStage(pipelines, 'Contact', { pipelineId: pipelineId ?? undefined, stageId });
    return { pipelineId: stageRef.pipelineId, stageId };
  }
  if (pipelineId) {
    requestedStage(pipelines, 'Contact', { pipelineId });
    return { pipelineId, stageId: null };
  }
  if (pipelineId === null) {
    return { pipelineId: null, stageId: null };
  }
  return { pipelineId: before.pipelineId, stageId: stageId === null ? null : before.stageId };
}

/** The action that requires a new owner to be a user of the organization when the transaction commits. */
export function ownerActions(table: TableWriter, { ownerId }: ConfigurationChanges): Action[] {
  return ownerId ? requiredUserActions(table, new Map([[ownerId, 'ownerId']])) : [];
}
