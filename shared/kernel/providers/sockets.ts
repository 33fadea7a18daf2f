/** The outcome of a frame: `gone` if the connection is closed. */
export type Delivery = 'delivered' | 'gone';

/** Open WebSocket connections, by connection id. After the deadline of the invocation both throw a 503 `Failure` at once. */
export interface Sockets {
  /**
   * Sends one text frame, with a second try shortly after. @throws when it could not be sent, or not until `deadline`. Then the
   * connection may have got it.
   */
  send(connectionId: string, frame: string, deadline?: AbortSignal): Promise<Delivery>;
  /** Closes the connection; `gone` if it is not open. @throws when it could not be closed now. */
  close(connectionId: string, deadline?: AbortSignal): Promise<'closed' | 'gone'>;
}
