import { afterEach, expect, test } from 'vitest';
import type { Passwords } from '../../shared/kernel/auth/passwords.ts';
import { sourceNetwork } from '../../shared/kernel/http/source-address.ts';
import { after as later, minute, second } from '../../shared/kernel/time.ts';
import { type Fault, replyLost } from '../contacts/faulty-table.ts';
import type { ApiResponse } from '../harness/call.ts';
import { setUpFaultyTable, setUpProduct } from '../harness/fixtures.ts';
import { cheapPasswords, password } from '../harness/product.ts';

const product = await setUpProduct();
const faults = setUpFaultyTable();
const start = new Date();
afterEach(() => {
  faults.clear();
  product.providers.passwords = () => cheapPasswords;
});

interface Attempt {
  email: string;
  password?: string;
  sourceIp?: string;
  at?: Date;
}

const login = ({ email, password: sent = password, sourceIp, at = start }: Attempt) =>
  product.call('login', {
    body: { email, password: sent },
    at,
    ...(sourceIp === undefined ? {} : { sourceIp }),
  });

const wrong = 'not the password';

async function failures(count: number, attempt: Attempt): Promise<ApiResponse[]> {
  const responses: ApiResponse[] = [];
  for (let n = 0; n < count; n += 1) {
    responses.push(await login({ password: wrong, ...attempt }));
  }
  return responses;
}

const count = (responses: ApiResponse[], status: number) =>
  responses.filter((response) => response.status === status).length;

const four = [401, 401, 401, 401];
const five = [...four, 401];

/** What becomes of attempts on one account: so many seconds after the first, with a right or a wrong password. */
const attempts: Record<string, [seconds: number, sent: string, statuses: number[]][]> = {
  'is blocked for a minute after five failures, for its right password too': [
    [0, wrong, five],
    [0.001, wrong, [429]],
    [0.001, password, [429]],
    [60, password, [200]],
  ],
  'forgets its failures 15 minutes after the first when there are fewer than five': [
    [0, wrong, four],
    [15 * 60, wrong, four],
    [15 * 60, password, [200]],
  ],
  'forgets a block 15 minutes after its end, not sooner': [
    [0, wrong, five],
    [15 * 60, wrong, [401]],
    [15 * 60 + 1, wrong, [429]],
    [(15 + 2 + 15) * 60, wrong, [401]],
    [(15 + 2 + 15) * 60 + 0.001, password, [200]],
  ],
  'starts anew after its right password': [
    [0, wrong, four],
    [0, password, [200]],
    [0, wrong, four],
    [0, password, [200]],
  ],
};

test.each(Object.entries(attempts))('An account %s', async (_, steps) => {
  const { email } = await product.newOrganization();
  for (const [seconds, sent, statuses] of steps) {
    for (const expected of statuses) {
      const { status, body } = await login({ email, password: sent, at: later(start, seconds * second) });
      expect([seconds, status]).toEqual([seconds, expected]);
      if (status === 429) {
        const error = 'Too many failed logins. Wait before the next attempt.';
        expect(body).toEqual({ error, code: 'TOO_MANY_ATTEMPTS' });
      }
    }
  }
});

test('An account is blocked twice as long after each further failure, up to about an hour', async () => {
  const { email } = await product.newOrganization();
  await failures(5, { email });
  const at = (milliseconds: number, sent = wrong) =>
    login({ email, password: sent, at: later(start, milliseconds) });

  let now = 0;
  const waits: number[] = [];
  for (let further = 0; further < 9; further += 1) {
    const blocked = await at(now, password);
    expect(blocked.status).toBe(429);
    const wait = Number(blocked.headers['retry-after']);
    expect((await at(now + wait * second - 1, password)).status).toBe(429);
    now += wait * second;
    waits.push(wait / 60);
    expect((await at(now)).status).toBe(401);
  }
  expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 64, 64]);
});

test('An account that does not exist is blocked in the same way, with the same bytes and the same work', async () => {
  const person = await product.newOrganization();
  const seen = async (email: string) => {
    const responses = await failures(7, { email });
    return responses.map(({ status, body, headers, consumed }) => ({
      status,
      body: JSON.stringify(body),
      wait: headers['retry-after'],
      requests: consumed?.requests,
      roundTrips: consumed?.roundTrips,
    }));
  };

  const known = await seen(person.email);
  expect(await seen('nobody@example.com')).toEqual(known);
  expect(known.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401, 429, 429]);
});

test('An account takes 30 right logins at once, after four wrong ones too', async () => {
  const { email } = await product.newOrganization();
  await failures(4, { email });

  const responses = await Promise.all(Array.from({ length: 30 }, () => login({ email })));

  expect(count(responses, 200)).toBe(30);
});

test('A burst of guesses gets 401 five times, and 429 from then on', async () => {
  const { email } = await product.newOrganization();
  const burst = (at: Date) =>
    Promise.all(Array.from({ length: 40 }, () => login({ email, password: wrong, at })));

  const first = await burst(start);
  expect([count(first, 401), count(first, 429)]).toEqual([5, 35]);

  const second = await burst(later(start, minute));
  expect([count(second, 401), count(second, 429)]).toEqual([1, 39]);
});

/** Passwords that take long to tell that `slow` is right or wrong: until `release` is called. */
function slowFor(slow: string): { release: () => void } {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const passwords: Passwords = {
    ...cheapPasswords,
    async verify(sent, phc) {
      const verdict = await cheapPasswords.verify(sent, phc);
      if (sent === slow) {
        await released;
      }
      return verdict;
    },
  };
  product.providers.passwords = () => passwords;
  return { release };
}

test('A burst of guesses does not reveal which of them was right, if that one was read before the block and decided after', async () => {
  const outcomes: unknown[] = [];
  for (const last of [password, 'another wrong one']) {
    const { email } = await product.newOrganization();
    const { release } = slowFor(last);
    const late = login({ email, password: last });
    await failures(5, { email });
    release();
    const { status, body, headers } = await late;
    outcomes.push({ status, body, wait: headers['retry-after'] });
    expect((await login({ email, at: later(start, minute) })).status).toBe(200);
  }
  expect(outcomes[0]).toEqual(outcomes[1]);
  expect(outcomes[0]).toMatchObject({ status: 429, wait: '60' });
});

test('A burst of guesses over many accounts from one address gains nothing either', async () => {
  const { email } = await product.newOrganization();
  const sourceIp = '192.0.2.77';
  const { release } = slowFor(password);
  const late = login({ email, sourceIp });
  await Promise.all(
    Array.from({ length: 20 }, (_, n) => login({ email: `${n}@example.org`, password: wrong, sourceIp })),
  );
  release();

  expect((await late).status).toBe(429);
});

test('An address is blocked after twenty failures for the rest of five minutes, whatever the account', async () => {
  const { email } = await product.newOrganization();
  const sourceIp = '192.0.2.1';
  const responses = await Promise.all(
    Array.from({ length: 30 }, (_, n) => login({ email: `${n}@example.net`, password: wrong, sourceIp })),
  );
  expect([count(responses, 401), count(responses, 429)]).toEqual([20, 10]);

  const blocked = await login({ email, sourceIp, at: later(start, minute) });
  expect([blocked.status, blocked.headers['retry-after']]).toEqual([429, '240']);
  expect((await login({ email, sourceIp: '192.0.2.2', at: later(start, minute) })).status).toBe(200);
  expect((await login({ email, sourceIp, at: later(start, 5 * minute) })).status).toBe(200);
});

test('An address is not cleared by the right password of somebody', async () => {
  const { email } = await product.newOrganization();
  const sourceIp = '192.0.2.3';
  for (let n = 0; n < 20; n += 1) {
    expect((await login({ email: `${n}@example.edu`, password: wrong, sourceIp })).status).toBe(401);
    if (n % 5 === 0) {
      expect((await login({ email, sourceIp })).status).toBe(200);
    }
  }
  expect((await login({ email, sourceIp })).status).toBe(429);
});

test.each([
  ['203.0.113.9', '203.0.113.9'],
  ['::ffff:203.0.113.9', '203.0.113.9'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::'],
  ['2001:0DB8:0001:0002::1', '2001:db8:1:2::'],
  ['2001:db8::1', '2001:db8:0:0::'],
  ['::1', '0:0:0:0::'],
  ['64:ff9b::192.0.2.33', '64:ff9b:0:0::'],
  ['fe80::1%eth0', 'fe80:0:0:0::'],
])('An address %s is counted as %s', (address, network) => {
  expect(sourceNetwork(address)).toBe(network);
});

test('An address of the same IPv6 network is the same address', async () => {
  const responses: ApiResponse[] = [];
  for (let n = 0; n < 21; n += 1) {
    responses.push(
      await login({
        email: `${n}@example.info`,
        password: wrong,
        sourceIp: `2001:db8:9:9::${n.toString(16)}`,
      }),
    );
  }
  expect([count(responses, 401), count(responses, 429)]).toEqual([20, 1]);
});

test('A failed login counts once when its reply is lost and another one comes before the repetition', async () => {
  const { email } = await product.newOrganization();
  const fail = async () => (await login({ email, password: wrong })).status;

  await fail();
  // The second failure is stored, its reply is lost, and the third comes in between.
  const overtaken: Fault = async (next) => {
    await next();
    faults.clear();
    await fail();
    return replyLost(async () => undefined);
  };
  let isFirst = true;
  for (const write of ['UpdateItemCommand', 'TransactWriteItemsCommand'] as const) {
    faults.always(write, async (next, input) => {
      const isAccount = JSON.stringify(input).includes('THROTTLE#ACCOUNT');
      if (!isAccount || !isFirst) {
        return next();
      }
      isFirst = false;
      return overtaken(next);
    });
  }
  expect(await fail()).toBe(401);
  expect(isFirst).toBe(false);
  // Three failures so far; the fifth is the one that blocks.
  expect([await fail(), await fail(), await fail()]).toEqual([401, 401, 429]);
});
