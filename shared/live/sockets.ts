/** What became of a frame: `gone` when nobody holds the connection any more. */
export type Delivery = 'delivered' | 'gone';

/** Open WebSocket connections, by connection id. */
export interface Sockets {
  /** Sends one text frame. @throws when it could not be sent for now; send it again then. */
  send(connectionId: string, frame: string): Promise<Delivery>;
  /** Closes the connection; fine when it is closed already. */
  close(connectionId: string): Promise<void>;
}
