/** The line for prompts: what it says, and that no name in it can do anything. */
import { describe, expect, it } from "vitest";
import { joined, mailWords, type PromptStick, promptSafe, stickWords } from "../../../src/peers/rules/prompt-line.ts";

const NOBODY: PromptStick = {
  holder: null,
  isMine: false,
  isReservedForMe: false,
  isHolderLost: false,
  isPaused: false,
};

describe("the line for prompts", () => {
  it("names the holder, the unread mail, and who waits for an answer", () => {
    expect(joined(stickWords({ ...NOBODY, holder: "codex" }), mailWords(1, ["claude"]))).toBe("stick:codex ✉1 ?claude");
  });

  it("is empty while nobody holds the stick and no mail waits", () => {
    expect(joined(stickWords(NOBODY), mailWords(0, []))).toBe("");
  });

  it.each([
    [{ holder: "human", isMine: true }, "stick:you"],
    [{ isReservedForMe: true }, "stick:yours?"],
    [{ holder: "codex", isHolderLost: true }, "stick:codex!"],
    [{ holder: "codex", isPaused: true }, "stick:codex paused"],
    [{ isPaused: true }, "paused"],
  ] as const)("%o reads %s", (sight, words) => expect(stickWords({ ...NOBODY, ...sight })).toBe(words));

  it("is bounded however many agents ask and however much is unread", () => {
    expect(mailWords(12_345, ["a", "b", "b", "c", "d", "e"])).toBe("✉99+ ?a,b,c+2");
  });
});

describe("a name in a prompt", () => {
  it.each([
    ["$(touch /tmp/x)", "__touch__tmp_x_"],
    ["`id`", "_id_"],
    ["%F{red}%n", "_F_red__n"],
    ["#[fg=red]#(id)", "__fg_red___id_"],
    ["\\u\\[\\e[31m", "_u___e_31m"],
    ["a\nb\u001b]0;x\u0007", "a_b__0_x_"],
    ["\u202eabc\u200b", "_abc_"],
    ["日本語-müller", "日本語-müller"],
    ["human:ann@box", "human:ann@box"],
  ])("%j is shown as %s", (name, shown) => expect(promptSafe(name)).toBe(shown));

  it("is bounded in length, also where a character has two halves", () => {
    expect(promptSafe("𝒳".repeat(100))).toBe(`${"𝒳".repeat(11)}…`);
  });
});
