/**
 * The connections of the page's server. Anybody on this machine may open one, so those that have not shown the secret
 * are few, and the oldest of them makes room. What has shown it is never closed for the sake of a stranger.
 *
 *   stranger ──a request with the secret──▶ known ──opens a stream──▶ streaming
 */
import type { Socket } from "node:net";

export interface ConnectionLimits {
  readonly strangers: number;
  readonly known: number;
  readonly streams: number;
}

export class Connections {
  readonly #limits: ConnectionLimits;
  /** The oldest first. */
  readonly #strangers = new Set<Socket>();
  readonly #known = new Set<Socket>();
  readonly #streaming = new Set<Socket>();

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
  }

  opened(socket: Socket): void {
    this.#strangers.add(socket);
    socket.once("close", () => this.#forget(socket));
    // A connection that breaks is no concern of the server's.
    socket.on("error", () => socket.destroy());
    keepAtMost(this.#limits.strangers, this.#strangers);
  }

  hasSecret(socket: Socket): void {
    if (this.#streaming.has(socket)) return;
    this.#forget(socket);
    this.#known.add(socket);
    keepAtMost(this.#limits.known, this.#known);
  }

  streams(socket: Socket): void {
    this.#forget(socket);
    this.#streaming.add(socket);
    keepAtMost(this.#limits.streams, this.#streaming);
  }

  #forget(socket: Socket): void {
    this.#strangers.delete(socket);
    this.#known.delete(socket);
    this.#streaming.delete(socket);
  }
}

function keepAtMost(most: number, sockets: Set<Socket>): void {
  for (const socket of sockets) {
    if (sockets.size <= most) return;
    sockets.delete(socket);
    socket.destroy();
  }
}
