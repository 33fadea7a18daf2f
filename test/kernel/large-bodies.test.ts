import { expect, test, vi } from 'vitest';
import { readBody } from '../../shared/kernel/http/body.ts';
import type { HttpEvent } from '../../shared/kernel/http/http-event.ts';

const limit = 4 * 1024 * 1024;

/** Reads a body of 4 MB whose first member is this. */
async function read(member: string): Promise<unknown> {
  const zeros = '0,'.repeat((limit - 100) / 2);
  const event = { headers: {}, body: `{${member},"zeros":[${zeros}0]}` } as HttpEvent;
  return (await readBody(event, { limit, takesForms: false, repairsBody: false })).value;
}

test.each(['"text":"\\u00e9"', '"text":"__proto__"', '"constructor":{"prototype":1}'])(
  'A body of 4 MB with %s is read at once, and not member by member',
  async (member) => {
    const parse = vi.spyOn(JSON, 'parse');
    await read(member);
    const ownParsing = parse.mock.calls.filter(([, reviver]) => reviver !== undefined);
    parse.mockRestore();
    expect(ownParsing).toEqual([]);
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
