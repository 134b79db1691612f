import { describe, expect, test } from "vitest";
import { shellEffect } from "../../../../src/guard/rules/shell/shell-effect.ts";
import { readCorpus, type Sample } from "./corpus.ts";

const corpus = readCorpus();

function wrong(samples: readonly Sample[]): readonly string[] {
  return samples
    .map(({ command, effect }) => ({ command, effect, judged: shellEffect(command).effect }))
    .filter(({ effect, judged }) => judged !== effect)
    .map(({ command, effect, judged }) => `${effect} was judged ${judged}: ${command}`);
}

describe.each([
  ["tuned", corpus.filter(({ isHeldOut }) => !isHeldOut), 0.97],
  ["held-out", corpus.filter(({ isHeldOut }) => isHeldOut), 0.93],
] as const)("in the %s part of the corpus", (_, samples, floor) => {
  test("no command that writes, or whose effect is hidden, is judged as reading", () => {
    const others = samples.filter(({ effect }) => effect !== "reads");
    expect(others.length).toBeGreaterThan(100);
    expect(others.filter(({ command }) => shellEffect(command).effect === "reads")).toEqual([]);
  });

  test(`at least ${floor * 100} of 100 commands are judged exactly`, () => {
    const found = wrong(samples);
    expect(1 - found.length / samples.length, found.join("\n")).toBeGreaterThanOrEqual(floor);
  });

  test("no command that reads is judged as writing", () => {
    const reading = samples.filter(({ effect }) => effect === "reads");
    expect(reading.filter(({ command }) => shellEffect(command).effect === "writes")).toEqual([]);
  });
});

test("the corpus has at least 450 different commands", () => {
  expect(new Set(corpus.map(({ command }) => command)).size).toBe(corpus.length);
  expect(corpus.length).toBeGreaterThanOrEqual(450);
});
