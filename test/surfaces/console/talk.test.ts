/** Events as a person reads them. */
import { expect, test } from "vitest";
import type { RoomEvent } from "../../../src/core/event.ts";
import { eventLines } from "../../../src/surfaces/console/talk.ts";
import { ME, message, row, viewOf } from "./pictures.ts";

const CLAUDE = row("claude:1").agentId;
const CODEX = row("codex:1").agentId;

test.each([
  [ME, CODEX, CLAUDE, "you gave the stick to codex:1; the turn of claude:1 has ended"],
  [ME, ME, CLAUDE, "you gave yourself the stick; the turn of claude:1 has ended"],
  [ME, CODEX, ME, "you gave the stick to codex:1; your turn has ended"],
  [CLAUDE, ME, null, "claude:1 gave the stick to you"],
])("the stick that %s gives to %s from %s", (fromAgentId, toAgentId, revokedAgentId, words) => {
  const given = { ...message(""), type: "given", fromAgentId, toAgentId, payload: { revokedAgentId } };
  expect(eventLines(given as RoomEvent, viewOf(199)).join("\n")).toMatch(new RegExp(`· ${words}$`));
});
