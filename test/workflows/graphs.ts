import { randomBytes } from 'node:crypto';

/** Bytes a body may have. Source: decisions 1, "Input caps". */
export const bodyLimit = 4 * 1024 * 1024;

/** Spellings of numbers that no program would choose again. */
const spellings = ['1.0', '1e2', '-0', '12345678901234567890', '0.10', '1E+3', '3.141592653589793238', '-7'];
const spelled = (index: number) => spellings[index % spellings.length] ?? '0';

/** Nodes as JSON text, in the spelling of somebody else. */
export function nodesText(count: number, data: (index: number) => string = () => '{}'): string {
  const nodes = Array.from({ length: count }, (_, index) => {
    const position = `{"y":${spelled(index)},"x":${spelled(index + 1)}}`;
    return `{"id":"node-${index}","type":"sendMessage","position":${position},"data":${data(index)}}`;
  });
  return `[${nodes.join(',')}]`;
}

export function edgesText(count: number, nodes: number): string {
  const edges = Array.from({ length: count }, (_, index) => {
    const [source, target] = [(index * 7919) % nodes, (index * 104_729 + 1) % nodes];
    return `{"id":"edge-${index}","source":"node-${source}","target":"node-${target}","10":1.50,"2":[ ]}`;
  });
  return `[${edges.join(',')}]`;
}

/** A string that no compression makes smaller, as JSON. */
export function incompressible(length: number): string {
  return JSON.stringify(randomBytes(length).toString('base64').slice(0, length));
}

/** The JSON of a body with these members, made to have exactly so many bytes by a further one. */
export function bodyOfSize(bytes: number, members: Record<string, string>): string {
  const written = Object.entries(members).map(([key, value]) => `${JSON.stringify(key)}:${value}`);
  const body = (padding: string) => `{${[...written, `"padding":"${padding}"`].join(',')}}`;
  return body('.'.repeat(bytes - Buffer.byteLength(body(''))));
}
