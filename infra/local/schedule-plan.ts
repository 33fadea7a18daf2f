import * as z from 'zod';
import { functionNameIn, read, unsupported } from './template/plan.ts';
import type { Resources } from './template/resources.ts';

const units: Readonly<Record<string, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };
const rate = /^rate\((\d+) (minute|hour|day)s?\)$/;

const noInput = z.undefined({ error: 'the local host does not transform events' }).optional();

const Rule = z.object({
  ScheduleExpression: z
    .string({ error: 'the local host supports only rules with a schedule' })
    .regex(rate, { error: 'the local host supports only rates of minutes, hours or days' }),
  EventPattern: unsupported('patterns of events'),
  State: z.literal('ENABLED', { error: 'the local host does not support disabled rules' }),
  Targets: z.array(
    z.object({
      Arn: z.string().includes(':lambda:', { error: 'the local host supports only functions' }),
      Id: z.string(),
      Input: z.optional(z.string()),
      InputPath: noInput,
      InputTransformer: noInput,
    }),
  ),
});

/** A function that a rule runs on a schedule. */
export interface SchedulePlan {
  /** Identifies the target of the rule across assemblies. */
  id: string;
  functionName: string;
  everyMilliseconds: number;
  ruleArn: string;
  /** The event as JSON; undefined for the usual one of EventBridge. */
  input?: string | undefined;
}

/** The targets of all rules with a rate. @throws for a rule that this host cannot run, such as one with a cron expression. */
export function schedules(resources: Resources): SchedulePlan[] {
  return resources.ofType('AWS::Events::Rule').flatMap((resource) => {
    const { ScheduleExpression, Targets } = read(resources, resource, Rule);
    const [, count = '', unit = ''] = rate.exec(ScheduleExpression) ?? [];
    return Targets.map(({ Arn, Id, Input: input }) => ({
      id: `${resource.stack.name}/${resource.logicalId}/${Id}`,
      functionName: functionNameIn(Arn),
      everyMilliseconds: Number(count) * (units[unit] ?? 0),
      ruleArn: resources.attribute(resource, 'Arn'),
      input,
    }));
  });
}
