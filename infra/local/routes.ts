/** A route that a request matched, with the path's parameters, url-decoded. */
export interface RouteMatch<T> {
  route: T;
  parameters: Record<string, string>;
}

type Segment = { literal: string } | { parameter: string; greedy: boolean };

interface Candidate<T> {
  route: T;
  method: string;
  segments: Segment[];
}

/**
 * Finds the route of a request as an HTTP API does: the most specific path wins (a literal segment before a
 * parameter, a parameter before a greedy one), then the request's own method before `ANY`, and `$default` is last.
 */
export function routeTable<T extends { key: string }>(
  routes: T[],
): (method: string, path: string) => RouteMatch<T> | undefined {
  const fallback = routes.find(({ key }) => key === '$default');
  const candidates = routes
    .filter((route) => route !== fallback)
    .map(candidate)
    .sort(bySpecificity);
  return (method, path) => {
    const segments = path.split('/').slice(1);
    for (const { route, method: allowed, segments: pattern } of candidates) {
      if (allowed !== method && allowed !== 'ANY') {
        continue;
      }
      const parameters = match(pattern, segments);
      if (parameters) {
        return { route, parameters };
      }
    }
    return fallback && { route: fallback, parameters: {} };
  };
}

function candidate<T extends { key: string }>(route: T): Candidate<T> {
  const [method = '', path = ''] = route.key.split(' ');
  const segments = path
    .split('/')
    .slice(1)
    .map((segment): Segment => {
      const parameter = /^\{(.+?)(\+)?\}$/.exec(segment);
      return parameter
        ? { parameter: parameter[1] ?? '', greedy: parameter[2] === '+' }
        : { literal: segment };
    });
  return { route, method, segments };
}

function bySpecificity<T>(one: Candidate<T>, other: Candidate<T>): number {
  for (let at = 0; at < Math.max(one.segments.length, other.segments.length); at += 1) {
    const difference = rank(one.segments[at]) - rank(other.segments[at]);
    if (difference !== 0) {
      return difference;
    }
  }
  return Number(one.method === 'ANY') - Number(other.method === 'ANY');
}

function rank(segment: Segment | undefined): number {
  if (!segment) {
    return 3;
  }
  if ('literal' in segment) {
    return 0;
  }
  return segment.greedy ? 2 : 1;
}

function match(pattern: Segment[], path: string[]): Record<string, string> | undefined {
  const parameters: Record<string, string> = {};
  for (const [at, segment] of pattern.entries()) {
    const actual = path[at];
    if (actual === undefined) {
      return undefined;
    }
    if ('literal' in segment) {
      if (decoded(actual) !== segment.literal) {
        return undefined;
      }
    } else if (segment.greedy) {
      const rest = path.slice(at).join('/');
      return rest === '' ? undefined : { ...parameters, [segment.parameter]: decoded(rest) };
    } else {
      if (actual === '') {
        return undefined;
      }
      parameters[segment.parameter] = decoded(actual);
    }
  }
  return pattern.length === path.length ? parameters : undefined;
}

/** The text url-decoded, or as it is when it holds no valid encoding. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
