import { given } from '../../../shared/kernel/given.ts';
import type { Timestamp } from '../../../shared/kernel/time.ts';
import { requiredUserActions } from '../../../shared/organizations/required-users.ts';
import type { Pipeline } from '../../../shared/pipelines/pipeline.ts';
import { requestedStage } from '../../../shared/pipelines/stages.ts';
import type { Action, TableWriter } from '../../../shared/table/table.ts';
import type { StoredConfiguration } from './configuration.ts';
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
 * The configuration with its changed fields; `newSecret` creates a secret if the request asks for one.
 * @throws a 404 `Failure` for a missing pipeline or stage.
 */
export function configured(
  configuration: StoredConfiguration,
  { secret, pipelineId, stageId, ...fields }: ConfigurationChanges,
  pipelines: readonly Pipeline[],
  newSecret: () => string,
): StoredConfiguration {
  const { secret: before, ...rest } = configuration;
  const after = secret === undefined ? before : secret === true ? newSecret() : secret;
  return {
    ...rest,
    ...given(fields),
    ...placed(configuration, { pipelineId, stageId }, pipelines),
    ...(after ? { secret: after } : {}),
  };
}

/** Whether the changes name a pipeline or a stage, which the pipelines must confirm. */
export function namesPlace({ pipelineId, stageId }: ConfigurationChanges): boolean {
  return Boolean(pipelineId) || Boolean(stageId);
}

/** A stage belongs to one pipeline, so changing either replaces both. */
function placed(
  before: StoredConfiguration,
  { pipelineId, stageId }: Pick<ConfigurationChanges, 'pipelineId' | 'stageId'>,
  pipelines: readonly Pipeline[],
): Pick<StoredConfiguration, 'pipelineId' | 'stageId'> {
  if (stageId) {
    const place = requestedStage(pipelines, 'Contact', { pipelineId: pipelineId ?? undefined, stageId });
    return { pipelineId: place.pipelineId, stageId };
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
