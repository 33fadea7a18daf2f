import * as z from 'zod/mini';
import type { Pipeline, PipelineType } from '../../../../shared/contacts/pipeline.ts';
import { stageById } from '../../../../shared/contacts/stages.ts';
import { definedOnly } from '../../../../shared/kernel/defined-only.ts';
import { described } from '../../../../shared/kernel/schemas/descriptions.ts';
import {
  atMost,
  Id,
  Name,
  nameLimit,
  nonEmptyString,
  orEmpty,
} from '../../../../shared/kernel/schemas/fields.ts';
import { day, hour, minute, second } from '../../../../shared/kernel/time.ts';
import { hasPlaceholder } from '../../../../shared/messages/fill-placeholders.ts';
import { matchKinds, operators, type Rule } from './filter.ts';
import type { Reference } from './node-type.ts';
import { type AwaitedEvent, longestName, longestWait } from './plan.ts';
import { type Topic, topics } from './topics.ts';

/** Fields that the data of several types of nodes have. */

export const durationUnits = { seconds: second, minutes: minute, hours: hour, days: day, weeks: 7 * day };
type DurationUnit = keyof typeof durationUnits;

/** Above 0. */
export const Positive = z.number().check(
  z.refine((value) => value > 0, 'must be greater than 0'),
  z.meta({ exclusiveMinimum: 0 }),
);

/** A length of time, of at most a year. */
export const Duration = described(
  z
    .object({
      value: Positive,
      unit: z.enum(Object.keys(durationUnits) as DurationUnit[]),
    })
    .check(
      z.refine((duration) => durationInMilliseconds(duration) <= longestWait, 'must be at most 365 days'),
    ),
  { value: 'How many of the unit; may be a fraction.', unit: 'The unit; at most 365 days in all.' },
  {
    anyOf: Object.entries(durationUnits).map(([unit, milliseconds]) => ({
      properties: { unit: { const: unit }, value: { maximum: longestWait / milliseconds } },
    })),
  },
);

/** The duration in whole milliseconds. */
export function durationInMilliseconds({ value, unit }: { value: number; unit: DurationUnit }): number {
  return Math.round(value * durationUnits[unit]);
}

/** The name of a way out. */
export const WayName = z.string().check(atMost(longestName), z.meta({ maxLength: longestName }));

/** The prefixes of fields that rules compare and placeholders contain. */
const fieldRoots = /^(?:contact\..+|event\..+|step\..+\..+|businessHours\.open)$/s;

const fieldPathLimit = 400;

export const FieldPath = nonEmptyString(fieldPathLimit).check(
  z.refine(
    (field) => fieldRoots.test(field),
    'must be businessHours.open, or begin with contact., event. or step.<nodeId>.',
  ),
  z.meta({
    // Blanks around the text are trimmed before it is checked, so the documentation allows them.
    pattern: String.raw`^\s*(?:contact\.[\s\S]*\S|event\.[\s\S]*\S|step\.[\s\S]+\.[\s\S]*\S|businessHours\.open\s*$)`,
    examples: ['contact.stage', 'contact.customFields.size', 'event.source', 'step.ask.way'],
  }),
);

/** The most members of a list that a rule compares with. */
const maxValues = 100;

const Value = z.unknown().check(
  z.refine(
    (value) => !Array.isArray(value) || value.length <= maxValues,
    `must have at most ${maxValues} items`,
  ),
  z.meta({ maxItems: maxValues }),
);

const RuleSchema = described(
  z.object({ field: FieldPath, operator: z.enum(operators), value: z.optional(Value) }),
  {
    field:
      'What is compared: `contact.` and a field of the contact (`contact.stage` is the name of its stage, `contact.phone` its primary number, `contact.customFields.<name>` a custom field), `event.` and a field of the event that started the run, `step.<nodeId>.` and `status`, `way`, `reason`, the id of what that step made or `body.…` of the answer to its request, or `businessHours.open`.',
    operator:
      'Strings are compared ignoring case (`ß` is `ss`) and invisible characters, not accents. A list equals a single value when one of its items does. Numbers and dates are compared as such; a date without a time is that whole day in the time zone of the organization. A phone number equals the same number in another notation. `exists`: neither missing nor empty.',
    value:
      'What it is compared with; for `in` a list of values, of which there are at most 100. Not needed for `exists` and `not_exists`.',
  },
);

export const ruleLimit = 50;

/** Bytes of JSON that rules may have together: each event of a topic is compared with those of all triggers for it. */
export const rulesLimit = 4 * 1024;

/** Rules, wherever they stand: those of a node, or of a setting. */
export const Rules = z.array(RuleSchema).check(
  z.maxLength(ruleLimit),
  z.refine(
    (rules) => Buffer.byteLength(JSON.stringify(rules)) <= rulesLimit,
    `must have at most ${rulesLimit / 1024} KB as JSON`,
  ),
);
export const MatchSchema = z.enum(matchKinds);

const TopicSchema = z.enum(topics);

/** The fields that name an event and what must hold for it. */
export const eventFields = {
  event: TopicSchema,
  filter: z.optional(Rules),
  match: z.optional(MatchSchema),
};

export const eventFieldDescriptions = {
  filter: 'What must hold, at most 50 rules of 4 KB together; without rules, every such event counts.',
  match: '`all` (default): every rule must hold. `any`: one is enough.',
} as const;

/** The meanings of an event's fields. */
export function toAwaitedEvent(data: {
  readonly event: Topic;
  readonly filter?: readonly Rule[] | undefined;
  readonly match?: AwaitedEvent['match'] | undefined;
}): AwaitedEvent {
  return { topic: data.event, filter: data.filter ?? [], match: data.match ?? 'all' };
}

/** An optional field of a node in which an empty text of a form counts as null, and the catalogue of nodes says so. */
export const noneIfEmptyIn = <S extends z.ZodMiniType>(schema: S): S =>
  orEmpty(schema.check(z.meta({ noneIfEmpty: true })));

/** The id of a user, or a placeholder that is filled with one. */
export const UserOrPlaceholder = noneIfEmptyIn(nonEmptyString(nameLimit));

/** The users that a node names itself, and not by a placeholder. */
export function userReferences(
  users: readonly (readonly [path: string, id: string | undefined])[],
): Reference[] {
  return users.flatMap(([path, id]) =>
    !id || hasPlaceholder(id) ? [] : [{ kind: 'user', id, path } as const],
  );
}

/** A stage in the data of a node: in one field, by id or by name. */
export const stageFields = { pipelineId: z.optional(Id), stage: Name };

export interface StageData {
  readonly pipelineId?: string | undefined;
  readonly stage?: string | undefined;
}

/** The fields that name the stage in a request to an operation. An id takes precedence over a name. */
export function stageRequest({ pipelineId, stage }: StageData, pipelines: readonly Pipeline[]) {
  const isId = stage !== undefined && stageById(pipelines, stage) !== undefined;
  return definedOnly({ pipelineId, ...(isId ? { stageId: stage } : { stage }) });
}

export function stageReferences({ pipelineId, stage }: StageData, pipelineType: PipelineType): Reference[] {
  return [
    ...(pipelineId === undefined
      ? []
      : [{ kind: 'pipeline', id: pipelineId, path: 'pipelineId', pipelineType } as const]),
    ...(stage === undefined
      ? []
      : [{ kind: 'stage', id: stage, path: 'stage', pipelineType, ...definedOnly({ pipelineId }) } as const]),
  ];
}

/** Workflows that may be named to end their runs for a contact. */
export const maxWorkflows = 50;
