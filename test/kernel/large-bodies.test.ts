import { expect, test } from 'vitest';
import { readBody } from '../../shared/kernel/http/body.ts';
import type { HttpEvent } from '../../shared/kernel/http/http-event.ts';
import { processorTime } from '../harness/processor-time.ts';

const limit = 4 * 1024 * 1024;

/** Reads a body of 4 MB whose first member is this. */
async function read(member: string): Promise<unknown> {
  const zeros = '0,'.repeat((limit - 100) / 2);
  const event = { headers: {}, body: `{${member},"zeros":[${zeros}0]}` } as HttpEvent;
  return (await readBody(event, { limit, takesForms: false, repairsBody: false })).value;
}

test.each(['"text":"\\u00e9"', '"text":"__proto__"', '"constructor":{"prototype":1}'])(
  'A body of 4 MB with %s takes about as long to be read as any other',
  async (member) => {
    await read('"warm":1');
    const usual = await processorTime(() => read('"text":"e"'));
    expect(await processorTime(() => read(member))).toBeLessThan(4 * usual);
  },
);

test.each(['"__proto__":1', '"\\u005f_proto__":1', '"deep":[{"__proto__":{}}]'])(
  'A body of 4 MB with the key in %s is refused',
  async (member) => {
    await expect(read(member)).rejects.toMatchObject({
      status: 400,
      message: 'body must not contain the key __proto__',
    });
  },
);
