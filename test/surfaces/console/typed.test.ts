import { expect, test } from "vitest";
import { typedAs } from "../../../src/surfaces/console/chat/typed.ts";

test.each([
  ["hello there", { kind: "send", to: null, body: "hello there", interrupt: false }],
  ["  indented", { kind: "send", to: null, body: "  indented", interrupt: false }],
  ["@codex do it", { kind: "send", to: "codex", body: "do it", interrupt: false }],
  ["@codex, do\nit now", { kind: "send", to: "codex", body: "do\nit now", interrupt: false }],
  ["@codex:1a2b do it", { kind: "send", to: "codex:1a2b", body: "do it", interrupt: false }],
  ["!@codex stop", { kind: "send", to: "codex", body: "stop", interrupt: true }],
  ["?codex why", { kind: "ask", to: "codex", body: "why" }],
  ["@codex", { kind: "address", to: "codex" }],
  ["/give codex", { kind: "command", command: "give", words: "codex" }],
  ["/quit", { kind: "command", command: "quit", words: "" }],
  [" /give codex", { kind: "send", to: null, body: "/give codex", interrupt: false }],
  [" @codex", { kind: "send", to: null, body: "@codex", interrupt: false }],
  [" ?", { kind: "send", to: null, body: "?", interrupt: false }],
  [" !", { kind: "send", to: null, body: "!", interrupt: false }],
  ["  ", { kind: "nothing" }],
])("%j", (text, meaning) => {
  expect(typedAs(text)).toEqual(meaning);
});

test.each([
  ["/giv codex", "Did you mean /give?"],
  ["/frobnicate", "/help lists the commands."],
  ["?", "? asks one agent"],
  ["? what", "? asks one agent"],
  ["?codex", "Say what to ask"],
  ["!", "! interrupts one agent"],
  ["!!", "! interrupts one agent"],
  ["!@codex", "Say what to interrupt with"],
  ["@", "@ needs a name"],
])("%j is wrong, and the answer says what to type", (text, why) => {
  expect(typedAs(text)).toMatchObject({ kind: "wrong", why: expect.stringContaining(why) });
});
