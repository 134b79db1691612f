/** A line to a server that can be cut at a chosen moment of the talk, on either side of a message. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** At the n-th piece that the client sends: the server never gets it, or its answer to it is never heard. */
export interface Cut {
  readonly piece: number;
  readonly arrives: boolean;
}

export interface CutLine {
  readonly url: string;
  /** True once the cut has happened. */
  readonly hit: boolean;
  /** The ports by which the server knows the connections that came through here. */
  readonly ports: readonly number[];
  /** Counts from the next piece on; null lets everything pass. */
  arm(cut: Cut | null): void;
  close(): void;
}

export async function cutLine(serverUrl: string): Promise<CutLine> {
  const target = new URL(serverUrl);
  const sockets = new Set<Socket>();
  const ports: number[] = [];
  const state: { cut: Cut | null; pieces: number; hit: boolean } = { cut: null, pieces: 0, hit: false };

  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    upstream.on("connect", () => ports.push(upstream.localPort ?? -1));
    const end = () => {
      for (const socket of [client, upstream]) {
        socket.destroy();
        sockets.delete(socket);
      }
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", end).on("close", end);
    }
    let cutOnAnswer = false;
    upstream.on("data", (chunk) => (cutOnAnswer ? end() : client.write(chunk)));
    client.on("data", (chunk) => {
      state.pieces += 1;
      const here = state.cut !== null && !state.hit && state.pieces === state.cut.piece;
      if (here) state.hit = true;
      cutOnAnswer ||= here && state.cut?.arrives === true;
      if (here && !cutOnAnswer) end();
      else upstream.write(chunk);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = new URL(serverUrl);
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    ports,
    get hit() {
      return state.hit;
    },
    arm: (cut) => Object.assign(state, { cut, pieces: 0, hit: false }),
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
