/**
 * M4 at the door of hooks. The hooks' program is killed right after it has printed a message, before it marks it as shown:
 * the next hook shows the same message under the same id. When one has lived to mark it, what follows settles it: a turn
 * that goes on acknowledges it, so that none shows it again, and one that breaks off lets it come again.
 */

import { readFileSync } from "node:fs";
import type { Plugin } from "esbuild";
import { afterAll, beforeAll, expect } from "vitest";
import { type Bundle, startFixture } from "../support/fixture.ts";
import { idOf } from "../support/session-clues.ts";
import { bundleSqliteFixture } from "../support/sqlite-fixture.ts";
import { accepted, actor, groundAt, openWorld } from "../support/sqlite-world.ts";
import { quickDirectory } from "../support/temporary-directory.ts";
import { figure, verifies } from "./verifies.ts";

const SETTINGS = { TT_INFLIGHT_TIMEOUT_MS: "100", TT_BASE_BACKOFF_MS: "0", TT_MAX_RETRIES: "20" };
const SESSION = "898509a1-5dab-4f24-a4e9-7b7158c02f3e";
const KILLS = figure(20, 1000);
const DEATHS_PER_MESSAGE = 5;

/** Puts an end to the process as soon as it has written its output. */
const killAfterPrint: Plugin = {
  name: "kill-after-print",
  setup: (build) => {
    build.onLoad({ filter: /standard-streams\.ts$/ }, ({ path }) => {
      const source = readFileSync(path, "utf8");
      const contents = source.replace(
        /while \(rest\.length > 0\) rest = rest\.subarray\(writeSync\(descriptor, rest\)\);/,
        (loop) => `${loop} process.kill(process.pid, "SIGKILL");`,
      );
      if (contents === source) throw new Error("the place to die at was not found");
      return { contents, loader: "ts" };
    });
  },
};

/** Puts an end to the process as soon as it has marked what it showed. */
const killAfterMark: Plugin = {
  name: "kill-after-mark",
  setup: (build) => {
    build.onLoad({ filter: /run-hook\.ts$/ }, ({ path }) => {
      const source = readFileSync(path, "utf8");
      const contents = source.replace(
        "await outcome.afterFlush?.();",
        (line) => `${line} process.kill(process.pid, "SIGKILL");`,
      );
      if (contents === source) throw new Error("the place to die at was not found");
      return { contents, loader: "ts" };
    });
  },
};

let dying: Bundle;
let marking: Bundle;
let living: Bundle;
beforeAll(async () => {
  dying = await bundleSqliteFixture("dying-hook", [killAfterPrint]);
  marking = await bundleSqliteFixture("dying-hook", [killAfterMark]);
  living = await bundleSqliteFixture("dying-hook");
});
afterAll(() => {
  dying.remove();
  marking.remove();
  living.remove();
});

/** A session with a message in its mailbox, and its hooks. */
async function open() {
  const ground = groundAt(quickDirectory(), SETTINGS);
  const deps = await openWorld(ground);
  const ann = actor(deps, "library:ann");
  const { roomId } = accepted(await ann.joinPath({ contextPath: ground.tree }));
  const claude = idOf("claude", SESSION);
  accepted(await actor(deps, claude, { sessionId: SESSION }).joinPath({ contextPath: ground.tree }));
  let turn = 0;
  const hook = async (bundle: Bundle, event: "prompt" | "post-tool" | "stop") => {
    if (event === "prompt") turn += 1;
    const running = startFixture(bundle, ["claude", event], { env: { ...ground.env }, cwd: ground.tree });
    running.child.stdin?.end(
      JSON.stringify({ session_id: SESSION, cwd: ground.tree, prompt_id: `turn-${turn}`, stop_hook_active: true }),
    );
    const said: unknown[] = [];
    for await (const line of running.lines()) said.push(line);
    return { said: JSON.stringify(said), ended: await running.ended };
  };
  /** Until the last attempt counts as given up, there is nothing to show. */
  const show = async (bundle: Bundle) => {
    let shown = await hook(bundle, "prompt");
    while (shown.said === "[]") shown = await hook(bundle, "prompt");
    return shown;
  };
  return {
    hook,
    show,
    send: async () => accepted(await ann.sendMessage({ roomId, to: claude, body: "hello" })).messageId,
    delivery: async (messageId: string) => accepted(await ann.messageStatus({ messageId })).deliveries[0],
    close: () => deps.store.close(),
  };
}

verifies("M4", `${KILLS} hooks die between showing a message and marking it as shown`, async () => {
  const { hook, show, send, delivery, close } = await open();
  for (let death = 0; death < KILLS; death += DEATHS_PER_MESSAGE) {
    const messageId = await send();
    for (let deaths = 0; deaths < DEATHS_PER_MESSAGE; deaths += 1) {
      const { said, ended } = await show(dying);
      expect(ended).toMatchObject({ signal: "SIGKILL" });
      expect(said).toContain(`reply_to_message ${messageId}`);
      // Nothing tells of such a death, so nothing says that it was shown before.
      expect(said).not.toContain("shown before");
    }
    expect((await show(living)).said).toContain(`reply_to_message ${messageId}`);
    const last = async () => (await delivery(messageId))?.attempts.at(-1);
    expect(await last()).toMatchObject({ outcome: "shown" });
    expect((await hook(living, "stop")).said).toBe("[]");
    expect(await delivery(messageId)).toMatchObject({ state: "acked" });
    expect((await hook(living, "prompt")).said).toBe("[]");
  }
  await close();
});

verifies("M4", "a hook that dies after it has marked a message: what follows in the session settles it", async () => {
  const { hook, show, send, delivery, close } = await open();
  for (const follows of ["post-tool", "stop", "prompt"] as const) {
    const messageId = await send();
    const { said, ended } = await show(marking);
    expect(ended).toMatchObject({ signal: "SIGKILL" });
    expect(said).toContain(`reply_to_message ${messageId}`);
    const next = await hook(living, follows);
    if (follows === "prompt") {
      expect(next.said).toContain(`reply_to_message ${messageId}`);
      expect(next.said).toContain("shown before");
      await hook(living, "stop");
    } else expect(next.said).toBe("[]");
    expect(await delivery(messageId)).toMatchObject({ state: "acked" });
    expect((await hook(living, "prompt")).said).toBe("[]");
  }
  await close();
});
