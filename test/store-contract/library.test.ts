/** The library's objects on PostgreSQL: what a turn and a message do by themselves, over connections of their own. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import postgres from "postgres";
import { describe, expect, inject, it, onTestFinished } from "vitest";
import { type OpenOptions, openTalkingStick, type Participant } from "../../src/app/index.ts";
import { openAs } from "../../src/app/open-talking-stick.ts";
import { isRefusal } from "../../src/core/refusal.ts";
import { createTalkingStick } from "../../src/surfaces/library/talking-stick.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

const server = inject("postgresUrl");

if (server === null) process.stderr.write("SKIPPED: the library on PostgreSQL: there is no server\n");

/** A database and a directory of the test's own. */
async function place() {
  const name = `library_${Math.random().toString(36).slice(2)}`;
  const admin = postgres(server as string, { max: 1, onnotice: () => undefined });
  await admin.unsafe(`CREATE DATABASE ${name}`);
  onTestFinished(async () => {
    await admin.unsafe(`DROP DATABASE ${name} WITH (FORCE)`);
    await admin.end();
  });
  const url = new URL(server as string);
  url.pathname = `/${name}`;
  const root = temporaryDirectory();
  const directory = join(root, "project");
  mkdirSync(directory);
  return { directory, env: { TT_STORE: url.href, HOME: root } };
}

async function open(agentId: string, options: Omit<OpenOptions, "agentId">): Promise<Participant> {
  const me = await openTalkingStick({ agentId, ...options });
  onTestFinished(() => me.close());
  return me;
}

describe.skipIf(server === null)("the library on PostgreSQL", () => {
  it("tells a program at once that a person has ended its turn", async () => {
    const options = await place();
    const room = await (await open("script:a", options)).join();
    const turn = await room.waitForTurn({ timeoutMs: 0 });
    const opened = await openAs({ agentId: "human:ann", ...options });
    if (isRefusal(opened)) throw new Error(opened.message);
    const person = createTalkingStick(opened.deps, { ...opened.caller, isPerson: true });
    onTestFinished(() => person.close());
    const lost = new Promise((resolve) => turn?.signal.addEventListener("abort", resolve));
    await person.closeRoom({ roomId: room.id, operatorRequested: true });
    await lost;
    expect(turn?.signal.reason).toMatchObject({ code: "room_closed" });
    await turn?.close();
  });

  it("gives up what is left open, and brings unanswered mail again", async () => {
    const options = await place();
    const me = await open("script:a", options);
    const other = await open("script:b", options);
    const room = await other.join();
    await (await me.join()).waitForTurn({ timeoutMs: 0 });
    await other.send({ to: "script:a", body: "work" });
    expect(await me.messages().next()).toMatchObject({ value: { body: "work" } });
    await me.close();
    expect((await room.events.list()).events.at(-1)).toMatchObject({
      eventType: "release",
      payload: { givenUp: true },
    });
    expect((await room.state()).members).toHaveLength(2);
    expect(await (await open("script:a", options)).messages().next()).toMatchObject({ value: { body: "work" } });
  });
});
