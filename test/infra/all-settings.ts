import { Code } from 'aws-cdk-lib/aws-lambda';
import cdk from '../../cdk.json' with { type: 'json' };
import { buildApp } from '../../infra/app.ts';
import { loadOperations } from '../../infra/registry.ts';
import { madeOnce } from '../harness/assembly.ts';
import { type Synthesized, templatesIn } from './synthesized.ts';

/** Every setting of a deployment. */
export const allSettings = {
  httpDomain: 'api.example.com',
  socketDomain: 'live.example.com',
  certificate: 'arn:aws:acm:eu-central-1:123456789012:certificate/7c4b',
  corsOrigins: ['https://app.example.com', 'https://admin.example.com'],
  alarmEmail: 'oncall@example.com',
  mailFrom: 'crm@mail.example.com',
  mailRegion: 'eu-west-1',
  appUrl: 'https://app.example.com',
  budget: 200,
  dashboard: true,
  restoredTable: 'arn:aws:dynamodb:eu-central-1:123456789012:table/restored/stream/2026-11-22T10:00:00.000',
  warmReads: 20_000,
  warmWrites: 8_000,
  maxReads: 40_000,
  maxWrites: 10_000,
  webhookHttp: true,
  keyGeneration: 3,
  trustedKeyGeneration: 2,
};

/**
 * The templates of a deployment that states everything, which all tests share. It has one operation of each kind, and all that read the
 * table's stream or a queue, do what is due, or run by the clock.
 */
export const withAllSettings = async (): Promise<Synthesized> =>
  templatesIn(await madeOnce('all-settings', 'manifest.json', synthesizeWithAll));

async function synthesizeWithAll(outdir: string): Promise<void> {
  const seen = new Set<string>();
  const chosen = (await loadOperations()).filter(({ operation: { kind } }) => {
    const isFirst = !seen.has(kind);
    seen.add(kind);
    return isFirst || ['stream', 'queue', 'due', 'schedule', 'socket'].includes(kind);
  });
  const context = { ...cdk.context, stage: 'drill', stages: { drill: allSettings } };
  const app = await buildApp({ outdir, context, operations: chosen, code: () => Code.fromInline('-') });
  app.synth();
}
