/** The outcome of a frame: `gone` if the connection is closed. */
export type Delivery = 'delivered' | 'gone';

/** Open WebSocket connections, by connection id. */
export interface Sockets {
  /** Sends one text frame. @throws when it could not be sent now; try again later. */
  send(connectionId: string, frame: string): Promise<Delivery>;
  /** Closes the connection if it is open. */
  close(connectionId: string): Promise<void>;
}
