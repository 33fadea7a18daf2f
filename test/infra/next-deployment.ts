import { isDeepStrictEqual } from 'node:util';
import type { Json } from '../harness/json.ts';
import type { Resource, Template } from './synthesized.ts';

/** The rules by which a change of a property makes CloudFormation replace the resource, and the property with its name. */
export interface ReplacementRules {
  /** Whether a change of this property replaces a resource of this type; `maybe` counts. */
  replaces(type: string, property: string): boolean;
  /** The properties that name a resource of this type, if the template states them all. */
  names(type: string): readonly string[];
}

/** Properties that AWS requires to be unique, of resources that CloudFormation identifies in another way. */
const keys: Readonly<Record<string, readonly string[]>> = {
  'AWS::ApiGatewayV2::Route': ['ApiId', 'RouteKey'],
  'AWS::Events::Rule': ['Name'],
  'AWS::Lambda::EventSourceMapping': ['EventSourceArn', 'FunctionName'],
  'AWS::SNS::Topic': ['TopicName'],
  'AWS::SQS::Queue': ['QueueName'],
  'AWS::SecretsManager::Secret': ['Name'],
};

interface Placed {
  /** The template and the logical id. */
  readonly location: string;
  readonly resource: Resource;
}

function located(templates: readonly Template[]): Placed[] {
  return templates.flatMap(({ file, resources }) =>
    Object.entries(resources).map(([id, resource]) => ({ location: `${file} ${id}`, resource })),
  );
}

/** Each name and key in the templates that must be unique in the account, with the places that have it. */
function claimsOf(templates: readonly Template[], rules: ReplacementRules): Map<string, Set<string>> {
  const claims = new Map<string, Set<string>>();
  for (const { location, resource } of located(templates)) {
    for (const properties of [rules.names(resource.Type), keys[resource.Type] ?? []]) {
      const values = properties.map((name) => resource.Properties?.[name]);
      if (values.length > 0 && !values.includes(undefined)) {
        const claim = `${resource.Type} ${JSON.stringify(values)}`;
        claims.set(claim, (claims.get(claim) ?? new Set()).add(location));
      }
    }
  }
  return claims;
}

/**
 * Reasons for which the deployment of `next` would fail where `former` stands: CloudFormation creates before it deletes, so a name or a
 * route key that has moved to another logical id is taken when it is created.
 */
export function collisions(
  former: readonly Template[],
  next: readonly Template[],
  rules: ReplacementRules,
): string[] {
  const before = claimsOf(former, rules);
  return [...claimsOf(next, rules)].flatMap(([claim, places]) => {
    const all = new Set([...(before.get(claim) ?? []), ...places]);
    return all.size > 1 ? [`${claim} is at ${[...all].join(' and at ')}`] : [];
  });
}

/**
 * The properties that CloudFormation refuses to change in a resource that keeps its logical id: its type, and the function of a custom resource. Source:
 * CloudFormation, AWS::CloudFormation::CustomResource, `ServiceToken`.
 */
export function refusals(former: readonly Template[], next: readonly Template[]): string[] {
  const after = new Map(located(next).map(({ location, resource }) => [location, resource]));
  return located(former).flatMap(({ location, resource: { Type, Properties } }) => {
    const now = after.get(location);
    if (now === undefined) {
      return [];
    }
    if (now.Type !== Type) {
      return [`${location} changes from ${Type} to ${now.Type}`];
    }
    return isDeepStrictEqual(now.Properties?.ServiceToken, Properties?.ServiceToken)
      ? []
      : [`${location} changes its function`];
  });
}

/** The resources of `former` with people's data that the deployment of `next` would replace or abandon. */
export function losses(
  former: readonly Template[],
  next: readonly Template[],
  rules: ReplacementRules,
): string[] {
  const after = new Map(located(next).map(({ location, resource }) => [location, resource]));
  return located(former)
    .filter(({ resource }) => /^Retain/.test(resource.DeletionPolicy ?? ''))
    .flatMap(({ location, resource }) => {
      const now = after.get(location);
      if (now?.Type !== resource.Type) {
        return [`${location} is no longer there`];
      }
      return changed(resource.Properties ?? {}, now.Properties ?? {})
        .filter((property) => rules.replaces(resource.Type, property))
        .map((property) => `${location} is replaced, because ${property} changes`);
    });
}

function changed(former: Json, next: Json): string[] {
  const names = new Set([...Object.keys(former), ...Object.keys(next)]);
  return [...names].filter((name) => !isDeepStrictEqual(former[name], next[name]));
}
