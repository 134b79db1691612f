/** The budget of a transcript: never more than was asked for, whole code points, the newest kept. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { lastBytes, lastCharacters, type Turn, TurnCollector, toolLine } from "../../../src/peers/rules/transcript.ts";

const texts = fc.string({ unit: "binary", maxLength: 60 });
const turns = fc.array(
  fc.record({
    role: fc.constantFrom<Turn["role"]>("user", "assistant", "tool"),
    text: texts,
    at: fc.constant(null),
  }),
  { maxLength: 30 },
);

describe("the end of a text", () => {
  test("is at most so many bytes, ends like the text, and is whole", () => {
    fc.assert(
      fc.property(texts, fc.nat(200), (text, maxBytes) => {
        const end = lastBytes(text, maxBytes);
        expect(Buffer.byteLength(end)).toBeLessThanOrEqual(maxBytes);
        expect(text.endsWith(end)).toBe(true);
        expect(Buffer.from(end).toString()).toBe(end);
        const next = Array.from(text).at(-Array.from(end).length - 1) ?? "";
        if (end !== text) expect(Buffer.byteLength(next + end)).toBeGreaterThan(maxBytes);
      }),
    );
  });

  test("is at most so many characters, and as many as that if there are", () => {
    fc.assert(
      fc.property(texts, fc.nat(80), (text, most) => {
        const characters = Array.from(text);
        expect(lastCharacters(text, most)).toBe(most === 0 ? "" : characters.slice(-most).join(""));
      }),
    );
  });
});

describe("what is kept of a transcript", () => {
  test("never has more turns or bytes than were asked for, and its newest are the transcript's newest", () => {
    fc.assert(
      fc.property(turns, fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 300 }), (all, limit, maxBytes) => {
        const collector = new TurnCollector({ limit, maxBytes });
        for (const turn of all.toReversed()) collector.add([turn]);
        const kept = collector.turns;
        const said = all.filter(({ text }) => text !== "");
        const bytes = kept.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
        expect(kept.length).toBeLessThanOrEqual(limit);
        expect(bytes).toBeLessThanOrEqual(maxBytes);
        for (const [index, turn] of kept.toReversed().entries()) {
          const original = said.at(-index - 1);
          expect(turn.role).toBe(original?.role);
          if (index < kept.length - 1) expect(turn.text).toBe(original?.text);
          else expect(original?.text.endsWith(turn.text)).toBe(true);
        }
        const { countTruncated, bytesTruncated, totalMessages } = collector.totals;
        expect(totalMessages).toBe(said.length);
        expect(countTruncated).toBe(said.length > limit);
        const whole = said.slice(-limit).reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
        expect(bytesTruncated).toBe(whole > maxBytes);
      }),
    );
  });

  test("is the same whether turns come one by one or together", () => {
    fc.assert(
      fc.property(turns, (all) => {
        const [single, together] = [0, 0].map(() => new TurnCollector({ limit: 5, maxBytes: 100 }));
        for (const turn of all.toReversed()) single?.add([turn]);
        together?.add(all);
        expect(together?.turns).toEqual(single?.turns);
      }),
    );
  });

  test("is the newest of several turns with one key, even if that one says nothing", () => {
    const collector = new TurnCollector({ limit: 5, maxBytes: 100 });
    collector.add([keyed("first", "a"), keyed("old", "b"), keyed("second", "a"), keyed("", "b")]);
    expect(collector.turns.map(({ text }) => text)).toEqual(["second"]);
  });
});

test("a call of a tool is one line of at most 300 characters, however long its input", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.anything(), (name, input) => {
      fc.pre(typeof input !== "bigint" && isJson(input));
      const line = toolLine(name, input);
      expect(line).not.toContain("\n");
      expect(Array.from(line).length).toBeLessThanOrEqual(301);
    }),
  );
  expect(toolLine("Bash", { command: "x".repeat(1000) })).toMatch(/^Bash \{"command":"x+…$/);
});

function keyed(text: string, key: string): Turn {
  return { role: "user", text, at: null, key };
}

function isJson(value: unknown): boolean {
  try {
    JSON.stringify(value);
    return true;
  } catch {
    return false;
  }
}
