// Answers every request at once. What it takes longer for is the machine's doing, not the host's.
import { createServer } from 'node:http';

const server = createServer((_request, response) => {
  response.setHeader('content-type', 'application/json');
  response.end('{}');
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  console.log(typeof address === 'object' && `ready http://127.0.0.1:${address?.port}`);
});
