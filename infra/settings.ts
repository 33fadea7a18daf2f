import type { Node } from 'constructs';

/** What a deployment can be told, by context values: `npm run deploy -- -c stage=production`. */
export interface Settings {
  /** Deployments of different stages stand side by side in an account and region. */
  readonly stage: string;
  /** Whether the API describes itself: its page, its OpenAPI and AsyncAPI documents. */
  readonly documentation: boolean;
}

/** Each setting, with its value for a deployment that states none and what it makes of a text. */
const known: { readonly [Name in keyof Settings]: readonly [usual: string, read: Reader<Settings[Name]>] } = {
  // A person who states nothing must not change what customers use.
  stage: ['dev', readStage],
  documentation: ['true', readBoolean],
};

/** @throws an error with a sentence when a value makes no sense, or when there is no such setting. */
type Reader<T> = (name: string, text: string) => T;

export function settingsOf(node: Node): Settings {
  return readSettings(node.getAllContext());
}

/** @throws for a value that makes no sense, and for a setting that does not exist: a misspelt `stage` would deploy another one. */
export function readSettings(context: Readonly<Record<string, unknown>>): Settings {
  // The library's own flags and the command line's have other characters in their names.
  const unknown = Object.keys(context).find((name) => /^[a-z]+$/i.test(name) && !Object.hasOwn(known, name));
  if (unknown !== undefined) {
    throw new Error(`There is no setting "${unknown}". There are: ${Object.keys(known).join(', ')}.`);
  }
  const settings = Object.entries(known).map(([name, [usual, read]]) => [
    name,
    read(name, String(context[name] ?? usual)),
  ]);
  return Object.fromEntries(settings) as Settings;
}

function readStage(name: string, text: string): string {
  if (/^[a-z][a-z0-9]{0,19}$/.test(text)) {
    return text;
  }
  throw new Error(
    `${name}=${text} is no stage: it must have 1 to 20 lower-case letters and digits, a letter first.`,
  );
}

function readBoolean(name: string, text: string): boolean {
  if (text === 'true' || text === 'false') {
    return text === 'true';
  }
  throw new Error(`${name}=${text} is not possible: it must be true or false.`);
}
