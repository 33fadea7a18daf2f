import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A web server of another origin than the API's. */
export interface Pages {
  /** For example `http://127.0.0.1:41234`. */
  readonly origin: string;
  stop(): Promise<void>;
}

/** Serves a page without content whose scripts have what `module`, a text, exports as `globalThis.exported`. */
export async function servePages(module = ''): Promise<Pages> {
  const page = `<!doctype html><link rel="icon" href="data:,">
    <script type="module">import * as exported from '/module.js'; Object.assign(globalThis, { exported });</script>`;
  const server = createServer(({ url }, response) => {
    const [type, text] = url === '/module.js' ? ['text/javascript', module] : ['text/html', page];
    response.writeHead(200, { 'content-type': type }).end(text);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
