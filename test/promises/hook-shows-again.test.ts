/**
 * M4 at the door of hooks. The hooks' program is killed right after it has printed a message, before it acknowledges:
 * the next hook shows the same message under the same id, and when one lives, none shows it again.
 */

import { readFileSync } from "node:fs";
import type { Plugin } from "esbuild";
import { afterAll, beforeAll, expect } from "vitest";
import { type Bundle, startFixture } from "../support/fixture.ts";
import { quickDirectory } from "../support/quick-directory.ts";
import { idOf } from "../support/session-clues.ts";
import { bundleSqliteFixture } from "../support/sqlite-fixture.ts";
import { accepted, actor, groundAt, openWorld } from "../support/sqlite-world.ts";
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
        /while \(rest\.length > 0\) rest = rest\.subarray\(writeSync\(1, rest\)\);/,
        (loop) => `${loop} process.kill(process.pid, "SIGKILL");`,
      );
      if (contents === source) throw new Error("the place to die at was not found");
      return { contents, loader: "ts" };
    });
  },
};

let dying: Bundle;
let living: Bundle;
beforeAll(async () => {
  dying = await bundleSqliteFixture("dying-hook", [killAfterPrint]);
  living = await bundleSqliteFixture("dying-hook");
});
afterAll(() => {
  dying.remove();
  living.remove();
});

verifies("M4", `${KILLS} hooks die between showing a message and acknowledging it`, async () => {
  const ground = groundAt(quickDirectory(), SETTINGS);
  const deps = await openWorld(ground);
  const ann = actor(deps, "library:ann");
  const { roomId } = accepted(await ann.joinPath({ contextPath: ground.tree }));
  const claude = idOf("claude", SESSION);
  accepted(await actor(deps, claude, { sessionId: SESSION }).joinPath({ contextPath: ground.tree }));

  const show = async (bundle: Bundle) => {
    const hook = startFixture(bundle, ["claude", "prompt"], { env: { ...ground.env }, cwd: ground.tree });
    hook.child.stdin?.end(JSON.stringify({ session_id: SESSION, cwd: ground.tree }));
    const said: unknown[] = [];
    for await (const line of hook.lines()) said.push(line);
    return { said: JSON.stringify(said), ended: await hook.ended };
  };

  for (let death = 0; death < KILLS; death += DEATHS_PER_MESSAGE) {
    const { messageId } = accepted(await ann.sendMessage({ roomId, to: claude, body: "hello" }));
    for (let deaths = 0; deaths < DEATHS_PER_MESSAGE; ) {
      const { said, ended } = await show(dying);
      // Until the last attempt counts as given up, there is nothing to show.
      if (said === "[]") continue;
      expect(ended).toMatchObject({ signal: "SIGKILL" });
      expect(said).toContain(`reply_to_message ${messageId}`);
      deaths += 1;
    }
    let shown = "[]";
    while (shown === "[]") shown = (await show(living)).said;
    expect(shown).toContain(`reply_to_message ${messageId}`);
    expect(accepted(await ann.messageStatus({ messageId })).deliveries).toMatchObject([{ state: "acked" }]);
    expect((await show(living)).said).toBe("[]");
  }
  await deps.store.close();
});
