import { createPrivateKey } from 'node:crypto';
import type { RequestListener } from 'node:http';
import * as http from 'node:http';
import * as https from 'node:https';
import * as net from 'node:net';

/** The port that a server got, and its end with all its connections. */
export interface Receiver extends AsyncDisposable {
  readonly port: number;
}

/** Answers HTTP requests on this machine. */
export function startReceiver(answer: RequestListener): Promise<Receiver> {
  return listen(http.createServer(answer));
}

/** Answers over TLS, with the certificate. */
export function startTlsReceiver(answer: RequestListener): Promise<Receiver> {
  const key = createPrivateKey({ key: Buffer.from(privateKey, 'base64'), format: 'der', type: 'pkcs8' });
  return listen(
    https.createServer({ key: key.export({ format: 'pem', type: 'pkcs8' }), cert: certificate }, answer),
  );
}

/** Does with each connection what no HTTP server would. */
export function startRawReceiver(handle: (socket: net.Socket) => void): Promise<Receiver> {
  return listen(net.createServer(handle));
}

async function listen(server: net.Server): Promise<Receiver> {
  const sockets = new Set<net.Socket>();
  server.on('connection', (socket: net.Socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as net.AddressInfo).port,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) {
          socket.destroy();
        }
      }),
  };
}

/** For `receiver.localhost` alone, signed by itself, until 2126. It protects nothing: its key is here. */
export const certificate = `-----BEGIN CERTIFICATE-----
MIIBsDCCAVagAwIBAgIUJE+gIKXClsoYvl/EeIFLRpfANdowCgYIKoZIzj0EAwIw
HTEbMBkGA1UEAwwScmVjZWl2ZXIubG9jYWxob3N0MCAXDTI2MTEyODE3MDgyMloY
DzIxMjYxMTA0MTcwODIyWjAdMRswGQYDVQQDDBJyZWNlaXZlci5sb2NhbGhvc3Qw
WTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAS8l7Mu/gjRHQEYhkmck689ANuaiAaD
NOXEp4YdM33l/ZOu+Kr4NTI/GtNAzqAo8MCn9IPeVqg7L7dko9rVSCfmo3IwcDAd
BgNVHQ4EFgQUpv3VhOyDryEesgXrkKgI4Ql2gLgwHwYDVR0jBBgwFoAUpv3VhOyD
ryEesgXrkKgI4Ql2gLgwDwYDVR0TAQH/BAUwAwEB/zAdBgNVHREEFjAUghJyZWNl
aXZlci5sb2NhbGhvc3QwCgYIKoZIzj0EAwIDSAAwRQIgUn1Gzsb3BJLHILwetgkZ
PjrieMDyUBtmO/gIU7sKE/cCIQC/MzvD9r57u1eImsSEMBhqoUTZAP5gYEnSeE+Q
QSO0iw==
-----END CERTIFICATE-----
`;

const privateKey =
  'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQguYW/6hjXW+skex8z' +
  'wVZ7Ca7aRw8t/AMb18aW0tT/XWChRANCAAS8l7Mu/gjRHQEYhkmck689ANuaiAaD' +
  'NOXEp4YdM33l/ZOu+Kr4NTI/GtNAzqAo8MCn9IPeVqg7L7dko9rVSCfm';
