import * as z from 'zod';
import { functionNameIn, read } from './plan.ts';
import type { Resources } from './resources.ts';

const units: Readonly<Record<string, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };
const rate = /^rate\((\d+) (minute|hour|day)s?\)$/;

const whole = z.undefined({ error: 'the local host hands on the event as it is' }).optional();

const Rule = z.object({
  ScheduleExpression: z
    .string({ error: 'only rules with a schedule are run by the local host' })
    .regex(rate, { error: 'only rates of minutes, hours or days are run by the local host' }),
  EventPattern: z.undefined({ error: 'patterns of events are not run by the local host' }).optional(),
  State: z.string().default('ENABLED'),
  Targets: z
    .array(
      z.object({
        Arn: z.string().includes(':lambda:', { error: 'only functions are run by the local host' }),
        Id: z.string(),
        Input: whole,
        InputPath: whole,
        InputTransformer: whole,
      }),
    )
    .default([]),
});

/** A function that a rule runs by the clock. */
export interface SchedulePlan {
  /** Names the rule's target from one assembly to the next. */
  id: string;
  functionName: string;
  everyMilliseconds: number;
  ruleArn: string;
}

export function schedules(resources: Resources): SchedulePlan[] {
  return resources.ofType('AWS::Events::Rule').flatMap((resource) => {
    const { ScheduleExpression, State, Targets } = read(resources, resource, Rule);
    if (State === 'DISABLED') {
      return [];
    }
    const [, count = '', unit = ''] = rate.exec(ScheduleExpression) ?? [];
    return Targets.map(({ Arn, Id }) => ({
      id: `${resource.stack.name}/${resource.logicalId}/${Id}`,
      functionName: functionNameIn(Arn),
      everyMilliseconds: Number(count) * (units[unit] ?? 0),
      ruleArn: resources.attribute(resource, 'Arn'),
    }));
  });
}
