import { createMcpHandler, ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import { buildResult, failedResult } from './build-result.ts';
import type { Tool, Toolbox } from './tool.ts';
import { toolRequest } from './tool-request.ts';

/** What the answer to a message depends on. */
export interface Setting extends Toolbox {
  mayUse(tool: Tool): boolean;
  /** The origin of the service, and the headers of the message. */
  readonly origin: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  send(request: Request): Promise<Response>;
}

const instructions =
  'Contacts of an organization on a board of stages, with what belongs to them. Begin with find_contacts; ids in results are arguments of other tools. What a tool refuses is a result with an error that says what to do. Texts go to people and cannot be taken back.';

/**
 * Answers one message of the Model Context Protocol, of its revision 2026-07-28 or, for clients that begin with `initialize`, of one before
 * it. Nothing is kept from one message to the next.
 * @param given the arguments of the message for a tool, with all digits of their numbers.
 */
export async function respondToMessage(message: Request, given: object, setting: Setting): Promise<Response> {
  const handler = createMcpHandler(() => toolServer(given, setting), {
    // A function of its own for each message has no stream to keep open.
    keepAliveMs: 0,
    maxSubscriptions: 0,
  });
  return handler.fetch(message);
}

function toolServer(given: object, setting: Setting): Server {
  const server = new Server(
    { name: 'switchboard', title: 'Switchboard', version: setting.version },
    { capabilities: { tools: {} }, instructions },
  );
  server.setRequestHandler('tools/list', () => ({
    tools: setting.tools
      .filter((tool) => setting.mayUse(tool))
      .map(({ name, title, description, inputSchema, annotations }) => ({
        ...{ name, title, description, inputSchema, annotations },
      })),
  }));
  server.setRequestHandler('tools/call', async ({ params: { name } }) => {
    // An operation that the key may not use says so itself.
    const tool = setting.tools.find((known) => known.name === name);
    if (tool === undefined) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no such tool. tools/list has all.');
    }
    const request = toolRequest(tool, given as Record<string, unknown>, setting);
    if ('missing' in request) {
      return failedResult(`${request.missing} is required: an id as another tool has returned it.`);
    }
    const { method, url } = request;
    const asked = `${method} ${url.slice(setting.origin.length)}`;
    const response = await setting.send(request).catch(() => undefined);
    return response === undefined ? failedResult(noResponse) : buildResult(response, tool, asked);
  });
  return server;
}

const noResponse =
  'The service gave no response. Something may have changed: read it before you try again, or try again with the same Idempotency-Key.';
