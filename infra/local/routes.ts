/** A route that a request matched, with the path's parameters, url-decoded. */
export interface RouteMatch<T> {
  route: T;
  parameters: Record<string, string>;
}

interface Candidate<T> {
  route: T;
  method: string;
  segments: string[];
}

/**
 * Finds the route of a request as an HTTP API does: the most specific path wins, a literal segment before a parameter, and
 * `$default` is last. The keys have one method each, and no greedy parameters.
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
    const segments = path.split('/');
    for (const { route, method: allowed, segments: pattern } of candidates) {
      const parameters = allowed === method ? match(pattern, segments) : undefined;
      if (parameters) {
        return { route, parameters };
      }
    }
    return fallback && { route: fallback, parameters: {} };
  };
}

function candidate<T extends { key: string }>(route: T): Candidate<T> {
  const [method = '', path = ''] = route.key.split(' ');
  return { route, method, segments: path.split('/') };
}

function bySpecificity<T>(one: Candidate<T>, other: Candidate<T>): number {
  const differences = one.segments.map(
    (segment, at) => Number(isParameter(segment)) - Number(isParameter(other.segments[at] ?? '')),
  );
  // By length first: paths of different lengths never match the same request, and each is compared to the others alike.
  return one.segments.length - other.segments.length || (differences.find((one) => one !== 0) ?? 0);
}

function isParameter(segment: string): boolean {
  return segment.startsWith('{');
}

function match(pattern: string[], path: string[]): Record<string, string> | undefined {
  if (pattern.length !== path.length) {
    return undefined;
  }
  const parameters: Record<string, string> = {};
  for (const [at, segment] of pattern.entries()) {
    const actual = decoded(path[at] ?? '');
    if (isParameter(segment) && actual !== '') {
      parameters[segment.slice(1, -1)] = actual;
    } else if (segment !== actual) {
      return undefined;
    }
  }
  return parameters;
}

/** The text url-decoded, or as it is when it holds no valid encoding. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
