import type { CallToolResult } from '@modelcontextprotocol/server';
import { parseJson } from '../../../shared/kernel/exact-numbers.ts';
import { cutOutput, mostBytes, type Output } from './cut-output.ts';
import type { Tool } from './tool.ts';

/** The response of an operation as the result of its tool: its own JSON, as text and, as far as it is an object, structured. */
export async function buildResult(response: Response, tool: Tool, asked: string): Promise<CallToolResult> {
  const text = await response.text();
  const output = objectIn(text);
  const retryAfter = response.headers.get('retry-after');
  if (!response.ok) {
    const hint =
      retryAfter === null ? [] : [{ type: 'text' as const, text: `Try again in ${retryAfter} seconds.` }];
    return {
      isError: true,
      content: [{ type: 'text', text: text || `The operation gave the status ${response.status}.` }, ...hint],
      ...(output && { structuredContent: output }),
    };
  }
  if (output === undefined || Buffer.byteLength(text) <= mostBytes) {
    return result(text, output);
  }
  const cut = cutOutput(output, (shown) => wayToRest(tool, shown, asked));
  return result(JSON.stringify(cut), cut);
}

/** How an agent gets what a result leaves out. */
function wayToRest({ name, inputSchema: { properties = {} } }: Tool, shown: number, asked: string): string {
  if (shown > 0 && 'limit' in properties) {
    return `Use ${name} again with limit ${shown}: its nextCursor is the cursor of the next records.`;
  }
  return shown > 0 && 'size' in properties
    ? `Use ${name} again with size ${shown}: page has the number of the next page of each stage.`
    : `Ask for less, or send ${asked} by HTTP with the same API key.`;
}

/** A result for an operation that could not be asked, or gave no response. */
export function failedResult(message: string): CallToolResult {
  const structuredContent = { success: false, message };
  return {
    isError: true,
    content: [{ type: 'text', text: JSON.stringify(structuredContent) }],
    structuredContent,
  };
}

function result(text: string, output: Output | undefined): CallToolResult {
  return { content: [{ type: 'text', text }], ...(output && { structuredContent: output }) };
}

function objectIn(text: string): Output | undefined {
  try {
    const value = parseJson(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Output)
      : undefined;
  } catch {
    return undefined;
  }
}
