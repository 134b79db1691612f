import { PassThrough, Writable } from "node:stream";
import { describe, expect, it } from "vitest";
import { NOTHING_IN_FLIGHT } from "../../../src/engine/in-flight.ts";
import { AnswerTransport } from "../../../src/surfaces/mcp/answer-transport.ts";

/** A way out that takes everything at once and lets it go when the test says so. */
class Outlet extends Writable {
  readonly #held: (() => void)[] = [];

  constructor() {
    super({ highWaterMark: 1_000_000 });
  }

  override _write(_chunk: unknown, _encoding: unknown, done: () => void): void {
    this.#held.push(done);
  }

  async letGo(): Promise<void> {
    while (this.#held.length > 0) {
      this.#held.shift()?.();
      await new Promise(setImmediate);
    }
  }
}

function transportWithWork() {
  const output = new Outlet();
  const transport = new AnswerTransport(new PassThrough(), output);
  const acknowledged: (string | number)[] = [];
  const givenBack: (string | number)[] = [];
  const work = (id: string | number) =>
    transport.afterAnswer(id, {
      ...NOTHING_IN_FLIGHT,
      confirm: async () => {
        acknowledged.push(id);
      },
      giveBack: async () => {
        givenBack.push(id);
      },
    });
  return { output, transport, acknowledged, givenBack, work };
}

const answer = (id: string | number) => ({ jsonrpc: "2.0" as const, id, result: {} });

describe("what is to be done after an answer", () => {
  it("is done when the answer has left, and not when it was merely accepted", async () => {
    const { output, transport, acknowledged, givenBack, work } = transportWithWork();
    work(1);
    const sent = transport.send(answer(1));
    await new Promise(setImmediate);
    expect(acknowledged).toEqual([]);
    await output.letGo();
    await sent;
    expect([acknowledged, givenBack]).toEqual([[1], []]);
  });

  it("is done for its own answer only", async () => {
    const { output, transport, acknowledged, work } = transportWithWork();
    work(1);
    work("1");
    const sent = Promise.all([transport.send(answer("1")), transport.send(answer(2))]);
    await output.letGo();
    await sent;
    expect(acknowledged).toEqual(["1"]);
  });

  it("is never done for an answer that failed, was forgotten, or comes twice, and goes back at once", async () => {
    const { output, transport, acknowledged, givenBack, work } = transportWithWork();
    for (const id of [1, 2, 3]) work(id);
    transport.forget(2);
    const failed = { jsonrpc: "2.0" as const, id: 1, error: { code: -32_603, message: "a bug" } };
    const sent = Promise.all(
      [failed, answer(1), answer(2), answer(3), answer(3)].map((sending) => transport.send(sending)),
    );
    await output.letGo();
    await sent;
    expect([acknowledged, givenBack]).toEqual([[3], [2, 1]]);
  });

  it("is never done when the client is gone", async () => {
    const { output, transport, acknowledged, givenBack, work } = transportWithWork();
    await transport.start();
    for (const id of [1, 2]) work(id);
    const sent = transport.send(answer(1));
    output.destroy(new Error("the pipe is broken"));
    await expect(sent).rejects.toThrow();
    await transport.closed;
    work(3);
    await transport.quiet();
    expect([acknowledged, givenBack.toSorted((a, b) => Number(a) - Number(b))]).toEqual([[], [1, 2, 3]]);
  });
});

it("it says when the client has closed the connection", async () => {
  const input = new PassThrough();
  const transport = new AnswerTransport(input, new Outlet());
  await transport.start();
  input.end();
  input.resume();
  await transport.closed;
});
