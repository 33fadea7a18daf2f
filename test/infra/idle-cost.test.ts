import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { projectRoot } from '../../infra/project.ts';
import { idleCost } from '../bench/scale/idle.ts';
import { hoursOfMonth, prices } from '../bench/scale/prices.ts';
import { functionOf, nameOf, referenced, synthesized } from './synthesized.ts';

const app = await synthesized();
afterAll(() => app.remove());

const numbers = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];

/** Runs by the clock that take place each minute, and what a month of all of them costs: each takes 50 ms to find nothing to do. */
function runs(): { eachMinute: number; dollars: number } {
  const rules = app.ofType('AWS::Events::Rule').map(({ template, Properties }) => {
    const [, every, unit] = /^rate\((\d+) (minute|hour)s?\)$/.exec(Properties.ScheduleExpression) ?? [];
    const minutes = Number(every) * (unit === 'hour' ? 60 : 1);
    const target = template.resources[referenced(Properties.Targets) ?? '']?.Properties ?? {};
    const { MemorySize } = functionOf(app, nameOf(target) ?? '').Properties;
    const price = prices.million.functionRequests / 1e6 + 0.05 * (MemorySize / 1024) * prices.functionSecond;
    return { minutes, count: Properties.Targets.length / minutes, price };
  });
  return {
    eachMinute: rules.filter(({ minutes }) => minutes === 1).reduce((sum, { count }) => sum + count, 0),
    dollars: rules.reduce((sum, { count, price }) => sum + hoursOfMonth * 60 * count * price, 0),
  };
}

test.each(['README.md', 'infra/README.md', 'test/bench/README.md'])(
  '%s says of an idle month what the templates of a deployment cost that states nothing',
  async (file) => {
    const positions = idleCost(app.templates.map(({ resources }) => ({ Resources: resources })));
    const count = (what: string) => positions.find((one) => one.what === what)?.count;
    const queues = app.ofType('AWS::SQS::Queue').filter(({ Properties }) => Properties.RedrivePolicy).length;
    const clock = runs();
    const sum = positions
      .filter(({ what }) => what !== 'runs by the clock')
      .reduce((all, { dollars }) => all + dollars, clock.dollars);

    const text = await readFile(join(projectRoot, file), 'utf8');
    const blocks = text.split(/\n(?=\|)|\n\n/).filter((one) => /\bidle\b/i.test(one) && /alarms/.test(one));
    expect(blocks).toHaveLength(1);
    for (const stated of [
      sum.toFixed(2),
      `${count('alarms')} alarms`,
      `${count('secrets')} secrets`,
      `${numbers[clock.eachMinute]} runs each minute`,
      `${queues} queues`,
    ]) {
      expect(blocks[0]?.replaceAll(/\s+/g, ' ')).toContain(stated);
    }
  },
);
