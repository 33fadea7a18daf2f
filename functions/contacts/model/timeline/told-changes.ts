import {
  type TimelineChange,
  type TimelineRefs,
  timelineChangeKey,
} from '../../../../shared/contacts/timeline-change.ts';
import type { EventChange } from '../../../../shared/events/event-change.ts';
import type { StoredEvent } from '../../../../shared/events/outbox.ts';
import { systemActor } from '../../../../shared/kernel/actor.ts';
import { definedOnly } from '../../../../shared/kernel/defined-only.ts';
import { after, day } from '../../../../shared/kernel/time.ts';
import type { Key } from '../../../../shared/table/key.ts';

/** How long changes are kept. Source: integrations 1. */
export const changesKeptFor = 90 * day;

/** The change as the event tells of it, without its contact. */
type Told = Pick<TimelineChange, 'type' | 'refs' | 'details'>;

/** The changes that an event tells of, each with the key it has. None for what the contact's own records tell: notes, messages, calls. */
export function timelineChanges(
  event: StoredEvent,
): { readonly key: Key<TimelineChange>; readonly change: TimelineChange; readonly expiresAt: Date }[] {
  const { id, at, actor = systemActor, data } = event;
  const { contactId } = data;
  if (typeof contactId !== 'string') {
    return [];
  }
  return toldBy(event).map(({ type, refs, details }) => {
    const change = { _id: `${id}-${type}`, type, at, actor, refs, details };
    const expiresAt = after(new Date(at), changesKeptFor);
    return { key: timelineChangeKey(contactId, change._id), change, expiresAt };
  });
}

function toldBy({ event, data, change = {} }: StoredEvent): Told[] {
  const { fromStage, stage, reminder } = change;
  switch (event) {
    case 'contact_created':
      return [{ type: 'created', refs: idsIn(data, 'pipelineId', 'stageId'), details: {} }];
    case 'contact_updated':
      return updatesIn(data, change);
    case 'contact_stage_changed':
      return [
        {
          type: 'stage_changed',
          refs: idsIn(data, 'pipelineId', 'fromStageId', 'toStageId'),
          details: definedOnly({ fromStage, stage }),
        },
      ];
    case 'contact_merged':
      return [{ type: 'merged', refs: idsIn(data, 'mergedContactId'), details: {} }];
    case 'contact_archived':
      return [{ type: 'archived', refs: {}, details: {} }];
    case 'contact_restored':
      return [{ type: 'restored', refs: {}, details: {} }];
    case 'lead_received':
      return [leadIn(data)];
    case 'notification_created':
      return reminder === undefined
        ? []
        : [{ type: 'reminder', refs: idsIn(data, 'reminderId'), details: {} }];
    case 'workflow_run_updated':
      return [
        {
          type: 'workflow_step',
          refs: idsIn(data, 'runId', 'workflowId'),
          details: { run: String(data.status) },
        },
      ];
    default:
      return [];
  }
}

/** An update of the contact itself, of one of its applications, or of one of its conversations. */
function updatesIn(data: StoredEvent['data'], change: EventChange): Told[] {
  const { application, conversation, fields = [], assigned, consent, fromStage, stage } = change;
  if (application !== undefined) {
    // Its creation is in its record.
    return application.transition === 'created'
      ? []
      : [
          {
            type: 'application',
            refs: idsIn(data, 'applicationId'),
            details: { application, ...definedOnly({ fromStage, stage }) },
          },
        ];
  }
  if (conversation !== undefined) {
    const refs = idsIn(data, 'conversationId');
    return conversation.transitions.flatMap((transition): Told[] =>
      transition === 'created'
        ? []
        : [
            {
              type: transition === 'assigned' ? 'assigned' : 'updated',
              refs,
              details: {
                conversation: transition,
                ...(transition === 'assigned' && definedOnly({ assigned: conversation.assigned })),
              },
            },
          ],
    );
  }
  const told = [
    ...(consent === undefined ? [] : ['consent']),
    ...(assigned === undefined ? [] : ['owner', 'assignees']),
  ];
  const others = fields.filter((field) => !told.includes(field));
  return [
    ...(others.length === 0 ? [] : [{ type: 'updated' as const, refs: {}, details: { fields: others } }]),
    ...(assigned === undefined ? [] : [{ type: 'assigned' as const, refs: {}, details: { assigned } }]),
    ...(consent === undefined ? [] : [{ type: 'consent' as const, refs: {}, details: { consent } }]),
  ];
}

function leadIn({ lead }: StoredEvent['data']): Told {
  const { configurationId, applicationId, isNew, changed } = lead as Record<string, unknown>;
  return {
    type: 'lead',
    refs: idsIn({ configurationId, applicationId }, 'configurationId', 'applicationId'),
    details: { lead: isNew === true ? 'new' : changed === true ? 'changed' : 'unchanged' },
  };
}

/** Those of the named fields that have an id. */
function idsIn(data: Readonly<Record<string, unknown>>, ...names: readonly string[]): TimelineRefs {
  return Object.fromEntries(
    names.flatMap((name) => (typeof data[name] === 'string' ? [[name, data[name] as string]] : [])),
  );
}
