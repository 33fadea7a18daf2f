import { buildAsset } from '../../infra/bundle/assets.ts';
import { routeTable } from '../../infra/local/gateway/routes.ts';
import { loadOperations, ofKind } from '../../infra/registry.ts';
import { routeKeys } from '../../infra/route-keys.ts';
import type { BuiltAsset } from '../../shared/kernel/http/asset.ts';
import type { HttpResponse } from '../../shared/kernel/http/http-event.ts';
import { systemRuntime } from '../../shared/kernel/serve/invocation.ts';
import { serveHttp } from '../../shared/kernel/serve/serve-http.ts';
import { provideAsset } from '../../shared/ports/asset.ts';

export const all = await loadOperations();
const https = ofKind(all, 'http');
const find = routeTable(
  https.flatMap((entry) => routeKeys(entry.operation).map((key) => ({ key, ...entry }))),
);
const built = new Map<string, Promise<BuiltAsset>>();

/** Sends a request to a public operation that needs only a document and URLs, routed as by the gateway. */
export function ask(
  method: string,
  path: string,
  headers: Record<string, string> = {},
): Promise<HttpResponse> {
  return askRoute(find(method, path)?.route.operation.route, method, path, headers);
}

/** Sends a request to the operation of this route, whatever the gateway would do. `deployed` are the operations of the service. */
export async function askRoute(
  route: string | undefined,
  method: string,
  path: string,
  headers: Record<string, string> = {},
  deployed = all,
  log: (line: Record<string, unknown>) => void = () => {},
): Promise<HttpResponse> {
  const found = https.find(({ operation }) => operation.route === route);
  if (found === undefined) {
    throw new Error('No operation takes unknown routes.');
  }
  const { name, operation } = found;
  const { asset } = operation.uses;
  const serve = serveHttp(
    name,
    operation,
    {
      socketUrl: () => 'wss://socket.example.com/live',
      ...(asset === undefined
        ? {}
        : { asset: provideAsset(await (deployed === all ? builtOnce(asset) : buildAsset(asset, deployed))) }),
    },
    { ...systemRuntime, log },
  );
  return serve(
    {
      rawPath: path,
      headers,
      requestContext: { requestId: 'request-1', http: { method, path, sourceIp: '192.0.2.1' } },
    },
    {},
  );
}

function builtOnce(asset: string): Promise<BuiltAsset> {
  const made = built.get(asset) ?? buildAsset(asset, all);
  built.set(asset, made);
  return made;
}

/** The paths of all HTTP operations. */
export const paths = [...new Set(https.flatMap(({ operation }) => operation.route.split(' ').slice(1)))];

/** Whether the gateway leads the request to an operation made for it. */
export function isRouted(method: string, path: string): boolean {
  return find(method, path)?.route.key !== '$default';
}
