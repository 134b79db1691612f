/** A link to a server that the test can cut, silence or close, and that can cut itself at a chosen word. */
import { connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

export interface FlakyLink {
  /** The server's address through the link. */
  readonly url: string;
  /** Breaks every connection there is. */
  cut(): void;
  /** Refuses new connections, until `up`. */
  down(): Promise<void>;
  up(): Promise<void>;
  /** Breaks every connection, and leads new ones to another server. */
  turnTo(serverUrl: string): void;
  /** Swallows what the server says, from now on. */
  silence(): void;
  /** Cuts when the client says this: before the server hears it, or after it has answered. */
  cutAt(word: string, when: "before" | "after"): void;
}

export async function flakyLink(serverUrl: string): Promise<FlakyLink> {
  let target = new URL(serverUrl);
  const pairs = new Set<readonly [Socket, Socket]>();
  let silent = false;
  let trap: { readonly word: string; readonly when: "before" | "after" } | null = null;

  const cut = () => {
    for (const pair of pairs) for (const socket of pair) socket.destroy();
    pairs.clear();
  };
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    const pair = [client, upstream] as const;
    pairs.add(pair);
    let cutOnAnswer = false;
    client.on("data", (data) => {
      const caught = trap !== null && data.includes(trap.word);
      if (caught && trap?.when === "before") return cut();
      cutOnAnswer ||= caught;
      return upstream.write(data);
    });
    upstream.on("data", (data) => {
      if (cutOnAnswer) cut();
      else if (!silent) client.write(data);
    });
    for (const socket of pair) {
      socket.on("error", () => undefined);
      socket.on("close", () => {
        for (const other of pair) other.destroy();
        pairs.delete(pair);
      });
    }
  });
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  await listen(0);
  const { port } = server.address() as { port: number };
  const down = async () => {
    if (!server.listening) return;
    cut();
    await new Promise((resolve) => server.close(resolve));
  };
  onTestFinished(down);

  const url = new URL(serverUrl);
  url.port = String(port);
  return {
    url: url.href,
    cut,
    down,
    up: () => listen(port),
    turnTo: (other) => {
      target = new URL(other);
      cut();
    },
    silence: () => {
      silent = true;
    },
    cutAt: (word, when) => {
      trap = { word, when };
    },
  };
}
