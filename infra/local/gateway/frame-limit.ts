import type { Duplex } from 'node:stream';

/** API Gateway takes frames of up to 32 KB; a longer message has to come in several frames. */
const maxFrameBytes = 32 * 1024;

/**
 * Watches the frames that arrive on a socket and calls `exceeded` for one with a payload of over 32 KB. It reads only the headers of frames
 * (RFC 6455, section 5.2), beside the WebSocket implementation, which reads everything.
 */
export function watchFrameSize(socket: Duplex, exceeded: () => void): void {
  let header: number[] = [];
  let payloadLeft = 0;
  const onData = (chunk: Buffer) => {
    let at = 0;
    while (at < chunk.length) {
      const skipped = Math.min(payloadLeft, chunk.length - at);
      payloadLeft -= skipped;
      at += skipped;
      if (at === chunk.length) {
        return;
      }
      header.push(chunk[at] ?? 0);
      at += 1;
      const length = payloadLength(header);
      if (length === undefined) {
        continue;
      }
      header = [];
      payloadLeft = length;
      if (length > maxFrameBytes) {
        socket.off('data', onData);
        exceeded();
        return;
      }
    }
  };
  // First in line, so that the connection is closing before the frame could become a message.
  socket.prependListener('data', onData);
}

/** The length of the payload that follows this header; undefined while the header is not complete. */
function payloadLength(header: number[]): number | undefined {
  const [, second] = header;
  if (second === undefined) {
    return undefined;
  }
  const short = second & 0x7f;
  const extended = short === 126 ? 2 : short === 127 ? 8 : 0;
  const mask = second & 0x80 ? 4 : 0;
  if (header.length < 2 + extended + mask) {
    return undefined;
  }
  if (extended === 0) {
    return short;
  }
  return header.slice(2, 2 + extended).reduce((length, byte) => length * 256 + byte, 0);
}
