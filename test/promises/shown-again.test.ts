/**
 * M4. A process prints a message and is killed before it acknowledges: the next reader gets the same message,
 * under the same id. Here at the doors of the library, an ask's reply among them.
 */
import { afterAll, beforeAll, expect } from "vitest";
import type { Bundle } from "../support/fixture.ts";
import { MailProcess } from "../support/mail-process.ts";
import { bundleSqliteFixture } from "../support/sqlite-fixture.ts";
import { accepted, actor, groundAt, openWorld } from "../support/sqlite-world.ts";
import { quickDirectory } from "../support/temporary-directory.ts";
import { figure, verifies } from "./verifies.ts";

const SETTINGS = { TT_INFLIGHT_TIMEOUT_MS: "100", TT_BASE_BACKOFF_MS: "0", TT_MAX_RETRIES: "20" };
const [ANN, BOB] = ["library:ann", "library:bob"];
const KILLS = figure(20, 1000);
const ASKS = KILLS / 4;
const DEATHS_PER_MESSAGE = 5;

let bundle: Bundle;
beforeAll(async () => {
  bundle = await bundleSqliteFixture("mail-agent");
});
afterAll(() => bundle.remove());

async function world() {
  const ground = groundAt(quickDirectory(), SETTINGS);
  const deps = await openWorld(ground);
  const ann = actor(deps, ANN);
  const { roomId } = accepted(await ann.joinPath({ contextPath: ground.tree }));
  accepted(await actor(deps, BOB).joinPath({ contextPath: ground.tree }));
  return { ground, ann, roomId, start: (agentId: string) => MailProcess.start(bundle, agentId, ground) };
}

verifies("M4", `${KILLS - ASKS} readers die between showing a message and acknowledging it`, async () => {
  const { ann, roomId, start } = await world();
  for (let death = 0; death < KILLS - ASKS; death += DEATHS_PER_MESSAGE) {
    const { messageId } = accepted(await ann.sendMessage({ roomId, to: BOB, body: "hello" }));
    for (let attempt = 1; attempt <= DEATHS_PER_MESSAGE; attempt += 1) {
      const reader = await start(BOB);
      const shown = await reader.tell({ do: "show", confirms: false }, "shown");
      expect(shown).toEqual({ messageId, from: ANN, body: "hello", attempt });
      await reader.kill();
    }
    const reader = await start(BOB);
    expect(await reader.tell({ do: "show", confirms: true }, "shown")).toMatchObject({ messageId, body: "hello" });
    await reader.hear("done");
    await reader.kill();
    const { deliveries } = accepted(await ann.messageStatus({ messageId }));
    expect(deliveries).toMatchObject([{ state: "acked" }]);
  }
});

verifies("M4", `${ASKS} askers die between showing a reply and acknowledging it`, async () => {
  const { roomId, start } = await world();
  const answerer = await start(BOB);
  for (let round = 1; round <= ASKS; round += 1) {
    const asker = await start(ANN);
    const body = `question ${round}`;
    asker.order({ do: "ask", roomId, to: BOB, body, timeoutMs: 60_000, confirms: false });
    const asked = await answerer.tell({ do: "hear" }, "asked");
    answerer.order({ do: "reply", roomId, messageId: asked.messageId, body: `answer ${round}` });
    const ended = await asker.hear("ended");
    await asker.kill();
    const next = await start(ANN);
    const shown = await next.tell({ do: "show", confirms: true }, "shown");
    expect(shown).toMatchObject({ messageId: ended.messageId, body: `answer ${round}`, attempt: 2 });
    await next.hear("done");
    await next.kill();
    await answerer.hear("replied");
  }
});
