import { expect, test } from 'vitest';
import { readSettings, withoutSettings } from '../../infra/settings.ts';

const certificate = 'arn:aws:acm:eu-central-1:123456789012:certificate/7c4b';
const stream = 'arn:aws:dynamodb:eu-central-1:123456789012:table/restored/stream/2026-11-22T10:00:00.000';

test('A deployment that states nothing is the stage dev, with documentation and nothing that costs more', () => {
  expect(readSettings({ '@aws-cdk/core:checkSecretUsage': true })).toEqual({
    stage: 'dev',
    documentation: true,
    corsOrigins: ['*'],
    dashboard: false,
    newcomerPolicy: 'approved',
    connectionLimit: 2_000,
    webhookHttp: false,
    keyGeneration: 1,
    trustedKeyGeneration: 1,
  });
});

test('Settings of a stage are for it alone; what is stated for all, or on the command line, has precedence', () => {
  const stages = {
    production: { httpDomain: 'api.example.com', certificate, budget: 200, documentation: false },
  };

  expect(readSettings({ stages })).not.toHaveProperty('budget', 200);
  expect(readSettings({ stages, stage: 'production', budget: '500' })).toMatchObject({
    stage: 'production',
    httpDomain: 'api.example.com',
    documentation: false,
    budget: 500,
  });
});

test('A table may be able to take more than its maximum, as every new one with a low maximum is', () => {
  const throughput = { warmReads: 12_000, maxReads: 8_000, warmWrites: 4_000, maxWrites: 1_000 };
  expect(readSettings(throughput)).toMatchObject(throughput);
});

test('Origins are separated by commas, or an array in cdk.json', () => {
  const corsOrigins = ['https://app.example.com', 'http://localhost:5173'];
  expect(readSettings({ corsOrigins: corsOrigins.join(', ') })).toMatchObject({ corsOrigins });
  expect(readSettings({ corsOrigins })).toMatchObject({ corsOrigins });
});

test.each([
  [{ stgae: 'production' }, 'There is no setting "stgae". The settings are stage, documentation,'],
  [{ stages: { production: { httpdomain: 'a.example.com' } } }, 'There is no setting "httpdomain".'],
  [{ stages: 'production' }, 'stages must be an object in cdk.json'],
  [{ stages: { production: 'large' } }, 'stages must be an object in cdk.json'],
  [{ stages: { production: { stage: 'dev' } } }, 'stages.production must not set a stage'],
  [{ stages: { 'pro duction': {} } }, 'stages=pro duction is not a valid stage'],
  [{ stage: 'Production' }, 'stage=Production is not a valid stage'],
  [{ documentation: 'no' }, 'documentation=no is not valid: it must be true or false.'],
  [{ httpDomain: 'https://api.example.com' }, 'httpDomain=https://api.example.com is not a domain name'],
  [{ httpDomain: 'api.example.com' }, 'api.example.com needs a certificate'],
  [{ socketDomain: 'live.example.com' }, 'live.example.com needs a certificate'],
  [
    { httpDomain: 'api.example.com', socketDomain: 'api.example.com', certificate },
    'httpDomain and socketDomain are both api.example.com',
  ],
  [{ certificate: '7c4b' }, 'certificate=7c4b is not the ARN of a certificate'],
  [{ corsOrigins: 'https://app.example.com/' }, 'corsOrigins=https://app.example.com/ is not an origin'],
  [{ corsOrigins: 'app.example.com' }, 'corsOrigins=app.example.com is not an origin'],
  [{ alarmEmail: 'nobody' }, 'alarmEmail=nobody is not an email address.'],
  [{ mailFrom: 'crm' }, 'mailFrom=crm is not an email address.'],
  [{ mailRegion: 'eu-west-1' }, 'mailRegion has no effect without mailFrom'],
  [{ mailFrom: 'crm@example.com', mailRegion: 'Europe' }, 'mailRegion=Europe is not a region'],
  [{ mailFrom: 'crm@example.com', documentation: false }, 'mailFrom needs appUrl'],
  [{ appUrl: 'https://app.example.com/' }, 'appUrl=https://app.example.com/ is not the address of a web app'],
  [{ budget: '0' }, 'budget=0 is not valid: it must be a whole number from 1.'],
  [{ newcomerPolicy: 'shut' }, 'newcomerPolicy=shut is not valid: it must be approved or open.'],
  [{ budget: '1e3' }, 'budget=1e3 is not valid'],
  [{ restoredTable: stream.replace(/\/stream.*/, '') }, 'is not the stream of a table'],
  [{ warmReads: 11_999 }, 'warmReads=11999 is not valid: it must be a whole number from 12000.'],
  [{ warmWrites: '3999' }, 'warmWrites=3999 is not valid: it must be a whole number from 4000.'],
  [{ trustedKeyGeneration: '2' }, 'trustedKeyGeneration=2 revokes every key: make keyGeneration 2, too.'],
])('The settings %j are refused: %s', (context, sentence) => {
  expect(() => readSettings(context)).toThrow(sentence);
});

test('The local host takes over the flags of the library and no setting of a stage', () => {
  const flags = { '@aws-cdk/core:checkSecretUsage': true, 'aws:cdk:path-metadata': false };
  expect(withoutSettings({ ...flags, stages: { dev: { budget: 5 } }, httpDomain: 'x.example.com' })).toEqual(
    flags,
  );
});
