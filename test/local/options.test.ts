import { networkInterfaces } from 'node:os';
import { expect, test } from 'vitest';
import { readOptions, UsageRequest, usage } from '../../infra/local/options.ts';

test('Without arguments and settings the product is for this machine alone, with demo data', () => {
  expect(readOptions([], {})).toEqual({
    port: 3000,
    on: { host: '127.0.0.1', publicHost: '127.0.0.1' },
    objectsPort: 0,
    dataDir: '.local',
    fresh: false,
    demo: true,
    password: undefined,
    logsJson: false,
  });
});

test('--fresh and every setting are understood', () => {
  const settings = {
    PORT: '4000',
    HOST: '192.0.2.7',
    OBJECTS_PORT: '4001',
    DATA_DIR: 'data',
    SEED: 'none',
    SEED_PASSWORD: 'correct horse',
    LOG: 'json',
  };
  expect(readOptions(['--fresh'], settings)).toEqual({
    port: 4000,
    on: { host: '192.0.2.7', publicHost: '192.0.2.7' },
    objectsPort: 4001,
    dataDir: 'data',
    fresh: true,
    demo: false,
    password: 'correct horse',
    logsJson: true,
  });
});

test('On all addresses, clients get one that other machines reach, or the name that PUBLIC_HOST gives', () => {
  const own = Object.values(networkInterfaces()).flatMap((some) =>
    (some ?? []).map(({ address }) => address),
  );
  for (const host of ['0.0.0.0', '::']) {
    expect(own).toContain(readOptions([], { HOST: host }).on.publicHost);
    expect(readOptions([], { HOST: host, PUBLIC_HOST: 'localhost' }).on).toEqual({
      host,
      publicHost: 'localhost',
    });
  }
});

test.each([
  ['--frehs', '--frehs'],
  ['-f', '-f'],
  ['fresh', 'fresh'],
  ['--fresh=yes', '--fresh=yes'],
])('The unknown argument %s gets the usage, and exit code 2', (argument, named) => {
  const refusal = expect.objectContaining({
    exitCode: 2,
    message: `${named} is not an argument that this command takes.\n\n${usage}`,
  });
  expect(() => readOptions(['--fresh', argument], {})).toThrow(refusal);
});

test('--help gets the usage, and exit code 0', () => {
  expect(() => readOptions(['--help'], {})).toThrow(new UsageRequest());
  expect(new UsageRequest()).toMatchObject({ exitCode: 0, message: usage });
});

test.each(['http', ' ', '-1', '65536', '3000.5', '0x10'])('PORT=%s is refused', (port) => {
  const sentence = `PORT=${port} is not a port: it must be a number from 0 to 65535, 0 for any free one.`;
  expect(() => readOptions([], { PORT: port })).toThrow(sentence);
  expect(() => readOptions([], { OBJECTS_PORT: port })).toThrow(`OBJECTS_${sentence}`);
});

test('LOG takes json and nothing else', () => {
  expect(() => readOptions([], { LOG: 'pretty' })).toThrow(
    'LOG=pretty is not known: set it to json, or not at all.',
  );
});

test('A SEED that is not known is refused', () => {
  expect(() => readOptions([], { SEED: 'off' })).toThrow(
    'SEED=off is not known: set it to none or demo, or not at all.',
  );
});

test('An empty setting is none: it puts nothing on the network, and nothing into the project', () => {
  const names = ['PORT', 'HOST', 'PUBLIC_HOST', 'OBJECTS_PORT', 'DATA_DIR', 'SEED', 'SEED_PASSWORD', 'LOG'];
  const empty = Object.fromEntries(names.map((name) => [name, '']));
  expect(readOptions([], empty)).toEqual(readOptions([], {}));
});

test('Two servers cannot have one port', () => {
  expect(() => readOptions([], { PORT: '4000', OBJECTS_PORT: '4000' })).toThrow(
    'PORT and OBJECTS_PORT are both 4000: each needs a port of its own.',
  );
  expect(readOptions([], { PORT: '0', OBJECTS_PORT: '0' }).port).toBe(0);
});

test('A --fresh that npm kept to itself counts', () => {
  expect(readOptions([], { npm_config_fresh: 'true' }).fresh).toBe(true);
});
