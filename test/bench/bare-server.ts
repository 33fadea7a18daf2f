// Sends the health check's response to every request, with node:http alone: the lower bound on this machine. Where it is slow, too, the
// machine was busy.
import { createServer } from 'node:http';

const body = '{"status":"ok"}';
const headers = {
  'content-type': 'application/json',
  'x-request-id': 'AAAAAAAAAAAAAAAA',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'content-length': Buffer.byteLength(body),
  'apigw-requestid': 'AAAAAAAAAAAAAAAA',
};

const server = createServer((_request, response) => response.writeHead(200, headers).end(body));
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  console.log(typeof address === 'object' && `ready http://127.0.0.1:${address?.port}`);
});
