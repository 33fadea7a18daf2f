import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { projectRoot } from '../../infra/project.ts';
import { idleCost } from '../bench/scale/idle.ts';
import { synthesized } from './synthesized.ts';

const app = await synthesized();
afterAll(() => app.remove());

/** What an idle month of a deployment costs that states nothing. */
const positions = idleCost(app.templates.map(({ resources }) => ({ Resources: resources })));
const dollars = positions.reduce((sum, position) => sum + position.dollars, 0);

const numbers = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];

/** The runs by the clock in each minute. */
const runsEachMinute = () =>
  app
    .ofType('AWS::Events::Rule')
    .filter(({ Properties }) => Properties.ScheduleExpression === 'rate(1 minute)')
    .reduce((sum, { Properties }) => sum + Properties.Targets.length, 0);

test('An idle month costs at most 5.50 dollars', () => {
  expect(dollars).toBeLessThanOrEqual(5.5);
});

test.each(['README.md', 'infra/README.md', 'test/bench/README.md'])(
  '%s says of an idle month what the templates cost of a deployment that states nothing',
  async (file) => {
    const countOf = (what: string) => positions.find((position) => position.what === what)?.count;
    const queues = app.ofType('AWS::SQS::Queue').filter(({ Properties }) => Properties.RedrivePolicy);

    const text = await readFile(join(projectRoot, file), 'utf8');
    const blocks = text.split(/\n(?=\|)|\n\n/).filter((one) => /\bidle\b/i.test(one) && /alarms/.test(one));
    expect(blocks).toHaveLength(1);
    for (const stated of [
      dollars.toFixed(2),
      `${countOf('alarms')} alarms`,
      `${countOf('secrets')} secrets`,
      `${numbers[runsEachMinute()]} runs each minute`,
      `${queues.length} queues`,
    ]) {
      expect(blocks[0]?.replaceAll(/\s+/g, ' ')).toContain(stated);
    }
  },
);
