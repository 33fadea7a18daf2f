// Readers of the settings' texts. Each throws an `Error` for a person that names the setting, its text and the required form.

import { isTrialPolicy, type TrialPolicyName, trialPolicies } from '../shared/organizations/trial-policy.ts';

export const stage = matching(
  /^[a-z][a-z0-9]{0,19}$/,
  'is not a valid stage: use 1 to 20 lower-case letters and digits, a letter first',
);

export const domain = matching(
  /^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/,
  'is not a domain name: use one like api.example.com, in lower case',
);

export const certificate = matching(
  /^arn:aws[\w-]*:acm:[\w-]+:\d{12}:certificate\/[\w-]+$/,
  'is not the ARN of a certificate: use one like arn:aws:acm:eu-central-1:123456789012:certificate/…',
);

export const email = matching(/^[^@\s,]+@[^@\s,]+\.[^@\s,]+$/, 'is not an email address');

export const region = matching(/^[a-z]{2}(-[a-z]+)+-\d$/, 'is not a region: use one like eu-central-1');

export const baseUrl = matching(
  /^https?:\/\/[\w.-]+(:\d{1,5})?(\/[\w.~-]+)*$/,
  'is not the address of a web app: use one like https://app.example.com, without a trailing slash',
);

export const tableStream = matching(
  /^arn:aws[\w-]*:dynamodb:[\w-]+:\d{12}:table\/[\w.-]{3,255}\/stream\/[\w:.-]+$/,
  'is not the stream of a table: use its LatestStreamArn, like arn:aws:dynamodb:eu-central-1:123456789012:table/…/stream/…',
);

const origin = matching(
  /^(\*|https?:\/\/[\w.-]+(:\d{1,5})?)$/,
  'is not an origin: use one like https://app.example.com, without a path',
);

/** Reads origins that are separated by commas. */
export function origins(name: string, text: string): string[] {
  return text.split(',').map((part) => origin(name, part.trim()));
}

/** @throws for anything but `true` and `false`. */
export function boolean(name: string, text: string): boolean {
  if (text === 'true' || text === 'false') {
    return text === 'true';
  }
  throw new Error(`${name}=${text} is not valid: it must be true or false.`);
}

/** @throws for a policy that does not exist. */
export function trialPolicy(name: string, text: string): TrialPolicyName {
  if (isTrialPolicy(text)) {
    return text;
  }
  throw new Error(`${name}=${text} is not valid: it must be ${Object.keys(trialPolicies).join(' or ')}.`);
}

export const wholeNumber = wholeNumberFrom(1);

/** Reads a whole number that is not below `least`. The reader throws for any other text. */
export function wholeNumberFrom(least: number): (name: string, text: string) => number {
  return (name, text) => {
    const number = Number(text);
    if (/^\d+$/.test(text) && Number.isSafeInteger(number) && number >= least) {
      return number;
    }
    throw new Error(`${name}=${text} is not valid: it must be a whole number from ${least}.`);
  };
}

/** The settings of single stages, which only `cdk.json` can hold. */
export function stages(name: string, value: unknown = {}): Record<string, Record<string, unknown>> {
  const isObject = (part: unknown) => typeof part === 'object' && part !== null && !Array.isArray(part);
  if (!isObject(value) || !Object.values(value as object).every(isObject)) {
    throw new Error(`${name} must be an object in cdk.json, with an object of settings for each stage.`);
  }
  const all = value as Record<string, Record<string, unknown>>;
  for (const [key, settings] of Object.entries(all)) {
    stage(name, key);
    if (Object.hasOwn(settings, 'stage')) {
      throw new Error(`${name}.${key} must not set a stage: it is ${key}.`);
    }
  }
  return all;
}

function matching(pattern: RegExp, requirement: string): (name: string, text: string) => string {
  return (name, text) => {
    if (pattern.test(text)) {
      return text;
    }
    throw new Error(`${name}=${text} ${requirement}.`);
  };
}
