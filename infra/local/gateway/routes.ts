/** The route that a request matches, and the parameters of its path, URL-decoded. */
export interface RouteMatch<T> {
  route: T;
  parameters: Record<string, string>;
}

interface Candidate<T> {
  route: T;
  segments: string[];
}

/**
 * Finds the route of a request as an HTTP API does: the most specific path wins, a literal segment precedes a parameter, and `$default`
 * comes last. The keys have one method each, and no greedy parameters.
 */
export function routeTable<T extends { key: string }>(
  routes: T[],
): (method: string, path: string) => RouteMatch<T> | undefined {
  const fallback = routes.find(({ key }) => key === '$default');
  const others = routes.filter((route) => route !== fallback);
  // No path is more specific than one without parameters, and the key of its route is the request line itself.
  const literal = new Map(others.filter(({ key }) => !key.includes('{')).map((route) => [route.key, route]));
  const candidates = Map.groupBy(others.map(candidate).sort(bySpecificity), ({ route, segments }) =>
    shape(methodOf(route.key), segments),
  );
  return (method, path) => {
    const known = literal.get(`${method} ${path}`);
    if (known) {
      return { route: known, parameters: {} };
    }
    const segments = path.split('/');
    const actual = segments.map(decoded);
    for (const { route, segments: pattern } of candidates.get(shape(method, segments)) ?? []) {
      const parameters = match(pattern, actual);
      if (parameters) {
        return { route, parameters };
      }
    }
    return fallback && { route: fallback, parameters: {} };
  };
}

function candidate<T extends { key: string }>(route: T): Candidate<T> {
  return { route, segments: (route.key.split(' ')[1] ?? '').split('/') };
}

const methodOf = (key: string) => key.split(' ')[0] ?? '';

/** Paths of different lengths never match the same request. */
const shape = (method: string, segments: string[]) => `${method} ${segments.length}`;

/** For paths of the same length. */
function bySpecificity<T>(one: Candidate<T>, other: Candidate<T>): number {
  const differences = one.segments.map(
    (segment, at) => Number(isParameter(segment)) - Number(isParameter(other.segments[at] ?? '')),
  );
  // By length first, so that the order is consistent for paths of all lengths.
  return (
    one.segments.length - other.segments.length || (differences.find((difference) => difference !== 0) ?? 0)
  );
}

function isParameter(segment: string): boolean {
  return segment.startsWith('{');
}

/** The parameters of a path of the pattern's length. */
function match(pattern: string[], path: string[]): Record<string, string> | undefined {
  const parameters: Record<string, string> = {};
  for (const [at, segment] of pattern.entries()) {
    const actual = path[at] ?? '';
    if (isParameter(segment) && actual !== '') {
      parameters[segment.slice(1, -1)] = actual;
    } else if (segment !== actual) {
      return undefined;
    }
  }
  return parameters;
}

/** The URL-decoded text, or the text itself when it is not validly encoded. */
export function decoded(text: string): string {
  if (!text.includes('%')) {
    return text;
  }
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
