import type { Pipeline } from '../../../shared/contacts/pipeline.ts';
import { readPipelinesFor } from '../../../shared/messages/fill-placeholders.ts';
import { type BusinessHours, businessHours } from '../../../shared/organizations/business-hours.ts';
import {
  type MissedCallMessage,
  missedCallMessage,
} from '../../../shared/organizations/missed-call-message.ts';
import { type MissedCallPolicy, missedCallPolicy } from '../../../shared/organizations/missed-call-policy.ts';
import {
  effectiveTextPolicy,
  type TextPolicy,
  textSettings,
} from '../../../shared/organizations/text-settings.ts';
import type { TrialPolicy } from '../../../shared/organizations/trial-policy.ts';
import type { TableReader } from '../../../shared/table/table.ts';

/** An organization's settings for missed calls. */
export interface MissedCallSettings {
  readonly policy: MissedCallPolicy;
  readonly hours: BusinessHours;
  readonly message: MissedCallMessage;
  /** Those of the organization, if the message needs them. */
  readonly pipelines: readonly Pipeline[];
  readonly textPolicy: TextPolicy;
}

/** Reads them in one round trip, and in another one the pipelines, if the message names a stage. */
export async function readMissedCallSettings(
  table: TableReader,
  trialPolicy: TrialPolicy,
): Promise<MissedCallSettings> {
  const [policy, hours, message, texts] = await Promise.all([
    table.read(missedCallPolicy.key),
    table.read(businessHours.key),
    table.read(missedCallMessage.key),
    table.read(textSettings.key, { consistent: false }),
  ]);
  const sent = message?.data ?? missedCallMessage.initial;
  return {
    policy: policy?.data ?? missedCallPolicy.initial,
    hours: hours?.data ?? businessHours.initial,
    message: sent,
    pipelines: await readPipelinesFor(sent.missedCallMessage, table),
    textPolicy: effectiveTextPolicy(texts?.data, trialPolicy),
  };
}
