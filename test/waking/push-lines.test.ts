/** A real socket, and every way in which the program behind it can behave. */
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { ownInboxIn } from "../../src/harness/waking.ts";
import { pushLines } from "../../src/platform/streams/push-lines.ts";
import { bundleFixture, startFixture } from "../support/fixture.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

const LONG_MS = 5000;
const SHORT_MS = 100;

async function listen(onClient: (client: Socket) => void): Promise<string> {
  const path = join(temporaryDirectory(), "inbox.sock");
  const clients = new Set<Socket>();
  const server: Server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (client) => {
    clients.add(client);
    client.on("error", () => undefined);
    onClient(client);
  });
  onTestFinished(() => {
    for (const client of clients) client.destroy();
    server.close();
  });
  await new Promise<void>((listening) => {
    server.listen(path, listening);
  });
  return path;
}

/** Reads to the end, and then closes, as a good program does. */
function reading(said: string[]) {
  return (client: Socket) => {
    client.setEncoding("utf8").on("data", (text: string) => said.push(text));
    client.once("end", () => client.end());
    client.resume();
  };
}

it("lines that were read to their end are taken", async () => {
  const said: string[] = [];
  expect(await pushLines(await listen(reading(said)), ["one", "two"], LONG_MS)).toBe("taken");
  expect(said.join("")).toBe("one\ntwo\n");
});

it("an answer of the program is passed over", async () => {
  const path = await listen((client) => {
    client.once("end", () => client.end("x".repeat(500_000)));
    client.resume();
  });
  expect(await pushLines(path, ["one"], LONG_MS)).toBe("taken");
});

it("where nobody listens nothing was said", async () => {
  expect(await pushLines(join(temporaryDirectory(), "nothing.sock"), ["one"], LONG_MS)).toBe("refused");
});

it("a program that accepts and then hangs may have got it", async () => {
  const path = await listen(() => undefined);
  expect(await pushLines(path, ["one"], SHORT_MS)).toBe("unknown");
});

it("a program that closes without reading may have got it", async () => {
  const path = await listen((client) => client.destroy());
  expect(await pushLines(path, ["one"], LONG_MS)).toBe("unknown");
});

it("a program that dies in the middle may have got it, and one that is dead has not", async () => {
  const bundle = await bundleFixture("test/waking/fixtures/dying-inbox.ts");
  onTestFinished(() => bundle.remove());
  const path = join(temporaryDirectory(), "inbox.sock");
  const inbox = startFixture(bundle, [path]);
  await inbox.lines().next();
  expect(await pushLines(path, ["one", "x".repeat(2_000_000)], LONG_MS)).toBe("unknown");
  expect((await inbox.ended).signal).toBe("SIGKILL");
  expect(await pushLines(path, ["one"], LONG_MS)).toBe("refused");
});

it("Claude Code is told the sender and the kind, without the message's words", async () => {
  const said: string[] = [];
  const socket = await listen(reading(said));
  const inbox = ownInboxIn({ CLAUDE_CODE_MESSAGING_SOCKET: socket, CLAUDE_CODE_MESSAGING_TOKEN: "secret" });
  expect(await inbox?.push("You have mail.", LONG_MS)).toBe("sent");
  const lines = said.join("").trim().split("\n");
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    { type: "auth", token: "secret" },
    {
      type: "user",
      message: {
        role: "user",
        content: "You have mail.",
      },
      priority: "next",
    },
  ]);
});

it("a process without the socket and its token has no inbox of its own", () => {
  expect(ownInboxIn({ CLAUDE_CODE_MESSAGING_SOCKET: "/tmp/x.sock" })).toBeNull();
  expect(ownInboxIn({ CLAUDE_CODE_MESSAGING_TOKEN: "secret" })).toBeNull();
});
