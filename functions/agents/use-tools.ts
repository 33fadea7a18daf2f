import * as z from 'zod/mini';
import { parseJson } from '../../shared/kernel/exact-numbers.ts';
import { Failure } from '../../shared/kernel/failure.ts';
import { OtherResponse } from '../../shared/kernel/http/other-response.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { requireOwnOrigin } from './model/own-origin.ts';
import { respondToMessage } from './model/respond-to-message.ts';
import { mayUse, type Toolbox } from './model/tool.ts';

export default operation({
  route: 'POST /mcp',
  summary: 'Use operations as the tools of an agent, by the Model Context Protocol',
  family: 'plain',
  minimumRole: 'SALES_REP',
  body: z.looseObject({ jsonrpc: z.literal('2.0') }),
  descriptions: { jsonrpc: 'Always `2.0`.' },
  output: z.never(),
  example: { body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } },
  uses: { asset: 'tools', ownRequests: 'forward' },
  async run({ sent, headers }, { asset, ownRequests, caller }) {
    const origin = requireOwnOrigin(sent.url, headers.origin);
    if (caller.key === undefined) {
      throw new Failure(
        'FORBIDDEN',
        'This takes an API key in place of the token of a user. An ADMIN creates one with POST /api/api-keys.',
      );
    }
    const message = new Request(sent.url, { method: 'POST', headers: ofProtocol(headers), body: sent.text });
    const response = await respondToMessage(message, argumentsIn(sent.text), {
      ...(JSON.parse(asset.text) as Toolbox),
      mayUse: (tool) => mayUse(tool, caller),
      origin,
      headers,
      send: ownRequests,
    });
    return new OtherResponse({
      status: response.status,
      contentType: response.headers.get('content-type') ?? 'application/json',
      body: await response.text(),
    });
  },
});

/** The headers of the protocol. */
function ofProtocol(headers: Readonly<Record<string, string | undefined>>): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]) =>
    value !== undefined && /^(accept|content-type|mcp-.*)$/.test(name) ? [[name, value]] : [],
  );
}

/** The arguments for a tool, with all digits of their numbers; none in any other message. */
function argumentsIn(text: string): object {
  const { params } = parseJson(text) as { params?: { arguments?: unknown } | null };
  const given = params?.arguments;
  return typeof given === 'object' && given !== null ? given : {};
}
