import * as z from 'zod/mini';
import { minute } from '../../../../shared/kernel/time.ts';
import { objectFields } from './graph.ts';
import { isIssue, readData, readDataOrIssue } from './node-data.ts';
import { durationUnits, eventFields, Positive, toAwaitedEvent } from './node-fields.ts';
import { reentries, type Settings, startInterval, windows } from './plan.ts';

/** Starts in a time: `{ value: 300, unit: 'minute' }`. */
const Rate = z
  .object({
    value: Positive,
    unit: z.enum(['second', 'minute', 'hour', 'day', 'week', ...Object.keys(durationUnits)]),
  })
  .check(
    z.refine(({ value, unit }) => {
      const interval = unitOf(unit) / value;
      return value <= 0 || (interval >= startInterval.shortest && interval <= startInterval.longest);
    }, 'must be at least one start a day, and at most 1,000 a second'),
  );

/** The settings, each read by itself: one that cannot be read does not affect the others. */
export const settingSchemas = {
  reentry: z.enum(reentries),
  stopOnReply: z.boolean(),
  window: z.enum(windows),
  goal: z.object(eventFields),
  rate: Rate,
} as const;

const usualRate = { value: 300, milliseconds: minute };

/** @param sent the document's property `settings`, which may be anything. */
export function toSettings(sent: unknown): Settings {
  const { reentry, stopOnReply, window, goal, rate } = objectFields(sent);
  const readGoal = read(settingSchemas.goal, goal);
  const readRate = read(Rate, rate);
  return {
    reentry: read(settingSchemas.reentry, reentry) ?? 'after_finish',
    stopOnReply: read(settingSchemas.stopOnReply, stopOnReply) ?? false,
    window: read(settingSchemas.window, window) ?? 'any',
    ...(readGoal && { goal: toAwaitedEvent(readGoal) }),
    rate: readRate ? { value: readRate.value, milliseconds: unitOf(readRate.unit) } : usualRate,
  };
}

/** The settings that cannot be read, in sentences. */
export function settingProblems(sent: unknown): string[] {
  const fields = objectFields(sent);
  if (sent !== undefined && sent !== null && fields !== sent) {
    return ['The settings are not an object, so the defaults apply.'];
  }
  return (Object.keys(settingSchemas) as (keyof typeof settingSchemas)[]).flatMap((name) => {
    const value = Object.hasOwn(fields, name) ? (fields[name] ?? undefined) : undefined;
    const result = value === undefined ? {} : readDataOrIssue<z.ZodMiniType>(settingSchemas[name], value);
    return isIssue(result)
      ? [
          `The setting ${name} is not valid, so the default applies: ${result.issue.replace(/^data /, 'it ')}.`,
        ]
      : [];
  });
}

function read<S extends z.ZodMiniType>(schema: S, value: unknown): z.output<S> | undefined {
  const result = readData(schema, value);
  return result.success ? result.data : undefined;
}

/** `minute` and `minutes` are the same. */
function unitOf(unit: string): number {
  const known: Readonly<Record<string, number>> = durationUnits;
  return known[unit.endsWith('s') ? unit : `${unit}s`] ?? minute;
}
