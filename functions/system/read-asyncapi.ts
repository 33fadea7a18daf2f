import * as z from 'zod/mini';
import { operation } from '../../shared/kernel/operation.ts';
import { described } from '../../shared/kernel/schemas/descriptions.ts';
import { anyString } from '../../shared/kernel/schemas/fields.ts';

export default operation({
  route: 'GET /api/asyncapi.json',
  summary: 'Read the description of the live events',
  description:
    'An AsyncAPI 3 document of the WebSocket: its address, its events, and the frames that clients send. Its schemas are those of `/api/openapi.json`.',
  family: 'plain',
  minimumRole: 'anyone',
  answersHead: true,
  // A parameter that prevents caching is no reason to refuse a client.
  query: z.looseObject({}),
  descriptions: {},
  output: described(
    z.looseObject({
      asyncapi: z.literal('3.0.0'),
      info: described(z.looseObject({ title: anyString, version: anyString }), {
        title: 'The name of the API.',
        version: 'The version of the API.',
      }),
      channels: z.record(anyString, z.unknown()),
    }),
    {
      asyncapi: 'The version of AsyncAPI.',
      info: 'What the document describes.',
      channels: 'The connection, with every frame.',
    },
  ),
  // A client keeps the document and asks only whether it has changed.
  throttle: { rate: 5, burst: 10 },
  uses: { asset: 'asyncapi', socketUrl: 'read' },
  async run(_request, { asset, socketUrl }) {
    return asset.variant(socketUrl, (text) => {
      const document = JSON.parse(text);
      const { live: server } = document.servers;
      const { live: channel } = document.channels;
      const { protocol, host, pathname } = new URL(socketUrl);
      return JSON.stringify({
        ...document,
        servers: { live: { ...server, host, protocol: protocol.replace(':', '') } },
        channels: { live: { ...channel, address: pathname } },
      });
    });
  },
});
