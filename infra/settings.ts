import type { Node } from 'constructs';
import type { TrialPolicyName } from '../shared/organizations/trial-policy.ts';
import * as read from './setting-readers.ts';

/**
 * The settings of a deployment. They are context values: on the command line (`npm run deploy -- -c stage=production`), or in `cdk.json`,
 * for a single stage below `context.stages.production`. README.md explains them.
 */
export interface Settings {
  /** Deployments of different stages stand side by side in an account and region. */
  readonly stage: string;
  /** Whether the API describes itself: its page, its OpenAPI and AsyncAPI documents. */
  readonly documentation: boolean;
  /** The domain of the HTTP API, such as `api.example.com`. */
  readonly httpDomain: string | undefined;
  /** The domain of the WebSocket API. */
  readonly socketDomain: string | undefined;
  /** The ARN of a certificate for the domains, in the deployment's region. */
  readonly certificate: string | undefined;
  /** The origins whose pages may call the API and use its files. */
  readonly corsOrigins: readonly string[];
  /** Who gets the alarms. */
  readonly alarmEmail: string | undefined;
  /** The sender of email, such as `crm@example.com`; without it no email is sent. */
  readonly mailFrom: string | undefined;
  /** The region in which the sender is verified; the deployment's if absent. */
  readonly mailRegion: string | undefined;
  /** The web app that links in emails open; the documentation page if absent. */
  readonly appUrl: string | undefined;
  readonly dashboard: boolean;
  /** Dollars a month for the whole account. The alarms' subscribers are told at 80 % of it, and when it will be exceeded. */
  readonly budget: number | undefined;
  /** The ARN of the stream of a table that replaces the deployment's own. */
  readonly restoredTable: string | undefined;
  /** Units a second that the table handles from the start. Later deployments cannot lower it. */
  readonly warmReads: number | undefined;
  readonly warmWrites: number | undefined;
  /** Units a second beyond which the table refuses requests. */
  readonly maxReads: number | undefined;
  readonly maxWrites: number | undefined;
  /** The trial policy, under the name that deployments set: how far organizations that register themselves may go until they are approved. */
  readonly newcomerPolicy: TrialPolicyName;
  /** Open WebSocket connections that an organization may have. */
  readonly connectionLimit: number;
  /** Whether webhooks and workflows may post to `http:` addresses, too. */
  readonly webhookHttp: boolean;
  /** A higher number rotates the keys that sign tokens. */
  readonly keyGeneration: number;
  /** Keys of lower generations are revoked at once. */
  readonly trustedKeyGeneration: number;
}

/** @throws an error for a person when the value is not valid. */
type Reader<T> = (name: string, text: string) => T;

/** The default and the reader of each setting. */
const known: {
  readonly [Name in keyof Settings]: readonly [
    usual: Settings[Name],
    read: Reader<Exclude<Settings[Name], undefined>>,
  ];
} = {
  // A deployment without settings must not change what customers use.
  stage: ['dev', read.stage],
  documentation: [true, read.boolean],
  httpDomain: [undefined, read.domain],
  socketDomain: [undefined, read.domain],
  certificate: [undefined, read.certificate],
  corsOrigins: [['*'], read.origins],
  alarmEmail: [undefined, read.email],
  mailFrom: [undefined, read.email],
  mailRegion: [undefined, read.region],
  appUrl: [undefined, read.baseUrl],
  dashboard: [false, read.boolean],
  budget: [undefined, read.wholeNumber],
  restoredTable: [undefined, read.tableStream],
  // AWS refuses less: every new table handles this much.
  warmReads: [undefined, read.wholeNumberFrom(12_000)],
  warmWrites: [undefined, read.wholeNumberFrom(4_000)],
  maxReads: [undefined, read.wholeNumber],
  maxWrites: [undefined, read.wholeNumber],
  newcomerPolicy: ['approved', read.trialPolicy],
  connectionLimit: [2_000, read.wholeNumber],
  webhookHttp: [false, read.boolean],
  keyGeneration: [1, read.wholeNumber],
  trustedKeyGeneration: [1, read.wholeNumber],
};

type Context = Readonly<Record<string, unknown>>;

/** The settings in the context of a construct. @throws as `readSettings` does. */
export function settingsOfNode(node: Node): Settings {
  return readSettings(node.getAllContext());
}

/**
 * Reads the settings. Those for all stages, or on the command line, have precedence over those for the stage.
 * @throws for an invalid value, and for an unknown setting: a misspelt `stage` would deploy another stage.
 */
export function readSettings({ stages, ...context }: Context): Settings {
  const ofStages = read.stages('stages', stages);
  const stage = valueIn('stage', context);
  const values: Context = { ...ofStages[stage], ...context };
  for (const part of [context, ...Object.values(ofStages)]) {
    refuseUnknown(part);
  }
  const settings = Object.keys(known).map((name) => [name, valueIn(name as keyof Settings, values)]);
  const all = Object.fromEntries(settings) as Settings;
  refuseContradictions(all);
  return all;
}

/** The context without settings: the flags of the library. */
export function withoutSettings(context: Context): Context {
  return Object.fromEntries(Object.entries(context).filter(([name]) => !isSettingsName(name)));
}

function valueIn<Name extends keyof Settings>(name: Name, context: Context): Settings[Name] {
  const [usual, reader] = known[name];
  const value = context[name];
  return value === undefined ? usual : reader(name, Array.isArray(value) ? value.join() : String(value));
}

/** Whether a context value is a setting: flags of the library and of the command line have other characters in their names. */
const isSettingsName = (name: string) => /^[a-z]+$/i.test(name);

function refuseUnknown(context: Context): void {
  const unknown = Object.keys(context).find((name) => isSettingsName(name) && !Object.hasOwn(known, name));
  if (unknown !== undefined) {
    throw new Error(`There is no setting "${unknown}". The settings are ${Object.keys(known).join(', ')}.`);
  }
}

/** @throws an error for a person when two values contradict each other. */
function refuseContradictions({
  httpDomain,
  socketDomain,
  certificate,
  documentation,
  mailFrom,
  mailRegion,
  appUrl,
  keyGeneration,
  trustedKeyGeneration,
}: Settings): void {
  const domain = httpDomain ?? socketDomain;
  const problems: [isWrong: boolean, sentence: string][] = [
    [
      domain !== undefined && certificate === undefined,
      `${domain} needs a certificate: set its ARN as "certificate".`,
    ],
    [
      domain !== undefined && httpDomain === socketDomain,
      `httpDomain and socketDomain are both ${domain}: API Gateway serves only one of the two under a name.`,
    ],
    [
      mailFrom === undefined && mailRegion !== undefined,
      'mailRegion has no effect without mailFrom: set mailFrom, too.',
    ],
    [
      mailFrom !== undefined && appUrl === undefined && !documentation,
      'mailFrom needs appUrl, because documentation=false leaves no page for links in emails to open.',
    ],
    [
      trustedKeyGeneration > keyGeneration,
      `trustedKeyGeneration=${trustedKeyGeneration} revokes every key: make keyGeneration ${trustedKeyGeneration}, too.`,
    ],
  ];
  const [, sentence] = problems.find(([isWrong]) => isWrong) ?? [];
  if (sentence !== undefined) {
    throw new Error(sentence);
  }
}
