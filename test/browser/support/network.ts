/** The network between a browser and `tt ui`: a proxy that can be cut, also in the middle of a line, and that can lie. */
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export class Network {
  readonly #server = createServer((asked, answer) => this.#pass(asked, answer));
  /** What becomes of each part of an answer. */
  readonly #rewrite: (text: string) => string;
  #isCut = false;
  #cutsInNextPart = false;

  private constructor(rewrite: (text: string) => string) {
    this.#rewrite = rewrite;
  }

  static async open(rewrite = (text: string) => text): Promise<Network> {
    const network = new Network(rewrite);
    await new Promise<void>((resolve) => {
      network.#server.listen(0, "127.0.0.1", resolve);
    });
    onTestFinished(() => {
      network.cut();
      network.#server.close();
    });
    return network;
  }

  get address(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Ends what is open, and lets nothing begin. */
  cut(): void {
    this.#isCut = true;
    this.#server.closeAllConnections();
  }

  /** Of the next part of an answer that is under way, the first half still arrives. */
  cutInNextPart(): void {
    this.#cutsInNextPart = true;
  }

  mend(): void {
    this.#isCut = false;
  }

  #pass(asked: IncomingMessage, answer: ServerResponse): void {
    if (this.#isCut) {
      asked.socket.destroy();
      return;
    }
    // The browser's own headers, also that of the host, reach the server as they are.
    const passed = request(asked.url ?? "", { method: asked.method, headers: asked.headers }, (answered) => {
      // A text that is rewritten may have another length.
      const { "content-length": _, ...headers } = answered.headers;
      answer.writeHead(answered.statusCode ?? 502, headers);
      answer.flushHeaders();
      answered.setEncoding("utf8");
      answered.on("data", (part: string) => this.#answer(part, answer));
      answered.on("end", () => answer.end());
      answered.on("error", () => answer.destroy());
    });
    passed.on("error", () => answer.destroy());
    answer.on("close", () => passed.destroy());
    asked.pipe(passed);
  }

  #answer(part: string, answer: ServerResponse): void {
    if (!this.#cutsInNextPart) {
      answer.write(this.#rewrite(part));
      return;
    }
    this.#cutsInNextPart = false;
    answer.write(part.slice(0, part.length / 2), () => this.cut());
  }
}
