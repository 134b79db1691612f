import { describe, expect, it } from "vitest";
import { asAgentId } from "../../src/core/ids.ts";
import { isRefusal } from "../../src/core/refusal.ts";
import type { TranscriptAnswer } from "../../src/peers/read-session.ts";
import { newSession } from "../../src/session/rules/session.ts";
import type { TalkingStick } from "../../src/surfaces/library/talking-stick.ts";
import { SessionWorld } from "../session/session-world.ts";
import { placeTranscript, SESSION_IDS } from "../support/harness-home.ts";
import { processOf } from "../support/room-world.ts";
import { accepted } from "../support/service-world.ts";

async function withClaude() {
  const world = new SessionWorld();
  const path = placeTranscript(world.home, "claude", world.here);
  await world.joined("claude:1", world.here, { sessionId: SESSION_IDS.claude });
  return { world, path };
}

type ReadInput = Parameters<TalkingStick["readSession"]>[0];

function read(world: SessionWorld, input: ReadInput) {
  return world.as("reader:1").readSession({ contextPath: world.here, ...input });
}

describe("reading a peer's session", () => {
  it("gives its recent turns, by its id, handle, harness session or harness", async () => {
    const { world, path } = await withClaude();
    for (const name of ["claude:1", "claude", SESSION_IDS.claude]) {
      const answer = accepted(await read(world, { name, limit: 2 })) as TranscriptAnswer;
      expect(answer).toMatchObject({
        agentId: "claude:1",
        handle: "claude",
        harness: "claude",
        mode: "transcript",
        transcriptPath: path,
        count: 2,
        countTruncated: true,
        bytesTruncated: false,
        totalMessagesExact: false,
        skippedRecords: 0,
      });
      expect(answer.messages).toEqual([
        { role: "user", text: "What is left to do?" },
        { role: "assistant", text: "Only the changelog is left." },
      ]);
    }
  });

  it("gives also those of a session that has not joined yet, as it is listed", async () => {
    const world = new SessionWorld();
    const path = placeTranscript(world.home, "claude", world.here);
    const { project } = await world.joined("codex:1");
    const alone = newSession({ agentId: asAgentId("claude:9"), project }, "claude");
    const row = { ...alone, hooked: true, sessionId: SESSION_IDS.claude, cwd: world.here, process: processOf("nine") };
    await world.deps.store.changeSession({ agentId: alone.agentId, project }, () => row);
    expect(await world.peers()).toContainEqual(expect.objectContaining({ agentId: "claude:9", handle: null }));
    for (const name of ["claude:9", SESSION_IDS.claude]) {
      expect(await read(world, { name })).toMatchObject({ agentId: "claude:9", handle: null, transcriptPath: path });
    }
    expect(await read(world, { name: "claude:8" })).toMatchObject({ error: "unknown_recipient" });
  });

  it("tells when, and how many there are, if that is asked for", async () => {
    const { world } = await withClaude();
    const answer = await read(world, { name: "claude", limit: 1, includeTimestamps: true, tailScan: false });
    expect(answer).toMatchObject({
      messages: [{ at: "2026-11-15T08:25:43.793Z" }],
      totalMessages: 5,
      totalMessagesExact: true,
    });
  });

  it("writes nothing", async () => {
    const { world } = await withClaude();
    expect(await world.writesNothing(() => read(world, { name: "claude" }))).toBe(true);
  });

  it("lists the candidates when a name means several", async () => {
    const world = new SessionWorld();
    await world.joined("claude:1");
    await world.joined("claude:2");
    await world.as("claude:1").nameMyself({ roomId: (await world.joined("claude:1")).roomId, handle: "scribe" });
    await world.as("claude:2").nameMyself({ roomId: (await world.joined("claude:2")).roomId, handle: "tester" });
    const answer = await read(world, { name: "claude" });
    expect(answer).toMatchObject({
      error: "ambiguous_recipient",
      facts: { candidates: ["scribe (claude:1)", "tester (claude:2)"] },
    });
  });

  it("refuses a session of another project just like one that is nowhere, and names none of them", async () => {
    const { world } = await withClaude();
    await world.joined("codex:secret", world.elsewhere, { sessionId: SESSION_IDS.codex });
    const answers = await Promise.all(
      ["codex:secret", SESSION_IDS.codex, "codex", "nobody"].map((name) => read(world, { name })),
    );
    for (const answer of answers) {
      expect(answer).toMatchObject({ error: "unknown_recipient", facts: { candidates: ["claude (claude:1)"] } });
    }
    const [foreign, , , nobody] = answers.map((answer) => isRefusal(answer) && answer.message);
    expect(String(foreign).replace("codex:secret", "X")).toBe(String(nobody).replace("nobody", "X"));
  });

  it("says why there is nothing to read, and does so without a room as well", async () => {
    const world = new SessionWorld();
    expect(await read(world, { name: "claude" })).toMatchObject({ error: "unknown_recipient" });
    await world.joined("claude:1");
    expect(await read(world, { name: "claude" })).toMatchObject({
      error: "recipient_unreachable",
      message: "There is no transcript in the place where claude keeps it.",
    });
    await world.joined("script:1");
    expect(await read(world, { name: "script", mode: "transcript" })).toMatchObject({
      message: "tt cannot read transcripts of script.",
    });
  });

  it.each([
    { limit: 0 },
    { limit: 1001 },
    { maxBytes: 255 },
    { maxBytes: 1_000_001 },
    { paneLines: 0 },
    { mode: "telepathy" },
    { tailScan: "yes" },
  ])("refuses %j", async (wrong) => {
    const { world } = await withClaude();
    const answer = await read(world, { name: "claude", ...(wrong as Partial<ReadInput>) });
    expect(answer).toMatchObject({ error: "invalid_input" });
  });
});
