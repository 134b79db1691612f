import { describe, expect, test } from "vitest";
import { isFollowed, rotationOf, successionOf } from "../../../src/hooks/rules/succession.ts";
import type { SessionCard } from "../../../src/session/rules/evidence.ts";

const now = { epoch: "boot-1", ms: 100_000 };
const successor = { harness: "claude", sessionId: "new", source: "startup", now, graceMs: 15_000 };
const ending = (ms: number, epoch = "boot-1"): SessionCard => ({
  harness: "claude",
  sessionId: "old",
  transcriptPath: null,
  ending: { epoch, ms },
});

describe("the session that a process had before", () => {
  test.each<[what: string, card: SessionCard | null, succession: string]>([
    ["said just now that it is ending", ending(99_000), "adopts"],
    ["said so as long ago as the grace lasts", ending(85_000), "adopts"],
    ["said so longer ago", ending(84_999), "ends"],
    ["said so before the machine was started again", ending(99_000, "boot-0"), "ends"],
    ["did not say that it is ending", { ...ending(0), ending: null }, "ends"],
    ["is the same one, which starts again", { ...ending(99_000), sessionId: "new" }, "none"],
    ["was another harness's", { ...ending(99_000), harness: "codex" }, "none"],
    ["left no card", null, "none"],
  ])("%s", (_, card, succession) => {
    expect(successionOf(card, successor)).toBe(succession);
  });

  test.each([
    ["clear", "adopts"],
    ["resume", "adopts"],
    ["startup", "ends"],
    [null, "ends"],
  ])("whose end nobody has told, if the next one starts by %s: %s", (source, succession) => {
    expect(successionOf({ ...ending(0), ending: null }, { ...successor, source })).toBe(succession);
  });

  test("is followed by another one after clear and resume alone", () => {
    const reasons = ["clear", "resume", "logout", "prompt_input_exit", "exit", "other", null];
    expect(reasons.filter(isFollowed)).toEqual(["clear", "resume"]);
  });
});

describe("another session id in a hook of the same process", () => {
  const card: SessionCard = { harness: "gemini", sessionId: "first", transcriptPath: "/t/first.jsonl", ending: null };
  const hook = { harness: "gemini", sessionId: "second", transcriptPath: "/t/first.jsonl" };

  test.each<[what: string, card: SessionCard | null, more: Partial<typeof hook>, rotation: string]>([
    ["with the same transcript is the same session", card, {}, "same"],
    ["with another transcript is another session", card, { transcriptPath: "/t/second.jsonl" }, "moved"],
    ["without a transcript is the same session", card, { transcriptPath: "" }, "same"],
    ["is the same session if the first had no transcript", { ...card, transcriptPath: null }, {}, "same"],
    ["is none if it is not another", card, { sessionId: "first", transcriptPath: "/t/second.jsonl" }, "none"],
    ["tells nothing if the first has ended", { ...card, ending: now }, {}, "none"],
    ["tells nothing beside another harness", { ...card, harness: "codex" }, {}, "none"],
    ["tells nothing without a card", null, {}, "none"],
  ])("%s", (_, known, more, rotation) => {
    expect(rotationOf(known, { ...hook, ...more })).toBe(rotation);
  });
});
