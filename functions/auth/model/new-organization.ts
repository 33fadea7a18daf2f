import {
  initialStages,
  newPipeline,
  pipelinesKey,
  pipelineTypes,
} from '../../../shared/contacts/pipeline.ts';
import { timestamp } from '../../../shared/kernel/time.ts';
import {
  defaultSessionConfig,
  type Organization,
  organizationKey,
} from '../../../shared/organizations/organization.ts';
import type { Action, TableWriter } from '../../../shared/table/table.ts';

/** A new organization. Source: decisions 3. */
export function newOrganization(id: string, name: string, now: Date): Organization {
  return {
    _id: id,
    name,
    registrationMode: 'admin_only',
    sessionConfig: defaultSessionConfig,
    createdAt: timestamp(now),
    updatedAt: timestamp(now),
  };
}

/** The actions that create an organization with an active pipeline of each type. */
export function newOrganizationActions(
  table: TableWriter,
  organization: Organization,
  newId: () => string,
  now: Date,
): Action[] {
  const pipelines = pipelineTypes.map((type) =>
    newPipeline(
      { organizationId: organization._id, name: type, type, stages: initialStages[type], isActive: true },
      newId,
      timestamp(now),
    ),
  );
  return [table.add(organizationKey(), organization), table.add(pipelinesKey(), { pipelines })];
}
