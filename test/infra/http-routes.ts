import type { Json } from '../harness/json.ts';
import type { Synthesized, Template } from './synthesized.ts';

/** The HTTP API: the resource that imports an OpenAPI document. */
export function httpApiIn(app: Synthesized): { id: string; template: Template; Properties: Json } {
  const [api, ...others] = app
    .ofType('AWS::ApiGatewayV2::Api')
    .filter(({ Properties }) => Properties.Body !== undefined);
  if (api === undefined || others.length > 0) {
    throw new Error(`There are ${others.length + 1} HTTP APIs`);
  }
  return api;
}

/** The routes of the HTTP API, by their keys, each with its operation in the OpenAPI document. */
export function httpRoutesIn(app: Synthesized): Map<string, Json> {
  const { paths } = httpApiIn(app).Properties.Body;
  return new Map(
    Object.entries<Json>(paths).flatMap(([path, methods]) =>
      Object.entries<Json>(methods).map(([method, operation]) => [
        operation.isDefaultRoute === true ? '$default' : `${method.toUpperCase()} ${path}`,
        operation,
      ]),
    ),
  );
}
