import type { ClockAndIds, Ports } from '../../../shared/kernel/operation.ts';
import type { MissedCallSettings } from './missed-call-settings.ts';

/** The ports that a missed call needs: a text is queued, now or later. */
export type MissedCallPorts = Ports<{ table: 'write'; platform: 'write'; trialPolicy: 'read' }>;

/** The ids that all tries of a change use, and the ids that each try takes for its events. */
export interface ChangeIds extends Pick<ClockAndIds, 'newId'> {
  readonly textConversation: string;
  readonly message: string;
  readonly reminder: string;
}

export function newChangeIds({ newId }: ClockAndIds): ChangeIds {
  return {
    textConversation: newId(),
    message: newId(),
    reminder: newId(),
    newId,
  };
}

/** The records that the writes of a missed call need beside the call. */
export interface MissedCallContext extends MissedCallPorts {
  readonly settings: MissedCallSettings;
  readonly ids: ChangeIds;
  readonly now: Date;
}
