import { type CallToolResult, Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';

/** The revisions of the protocol that clients ask for: by `server/discover`, and by `initialize`. */
export const revisions = ['2026-07-28', '2025-11-25', '2025-06-18'] as const;
export type Revision = (typeof revisions)[number];

/** An agent's client, connected to the service at the address by an API key. */
export async function connectAgent(
  url: string,
  key: string,
  { revision = '2026-07-28', headers = {} }: { revision?: Revision; headers?: Record<string, string> } = {},
) {
  const isLatest = revision === '2026-07-28';
  const client = new Client(
    { name: 'agent', version: '1.0.0' },
    isLatest
      ? { versionNegotiation: { mode: { pin: revision } } }
      : { versionNegotiation: { mode: 'legacy' }, supportedProtocolVersions: [revision] },
  );
  await client.connect(
    new StreamableHTTPClientTransport(new URL('/mcp', url), {
      requestInit: { headers: { authorization: `Bearer ${key}`, ...headers } },
    }),
  );
  onTestFinished(() => client.close());
  const use = (name: string, given: Record<string, unknown> = {}) =>
    client.callTool({ name, arguments: given }) as Promise<CallToolResult>;
  return {
    client,
    tools: async () => (await client.listTools()).tools,
    /** Uses a tool; the whole result. */
    use,
    /** Uses a tool that must succeed; the operation's JSON. @throws with the error of one that does not. */
    async output(name: string, given: Record<string, unknown> = {}) {
      const { isError, content, structuredContent } = await use(name, given);
      if (isError) {
        throw new Error(`${name}: ${JSON.stringify(content)}`);
      }
      // biome-ignore lint/suspicious/noExplicitAny: JSON of any operation.
      return structuredContent as any;
    },
  };
}
