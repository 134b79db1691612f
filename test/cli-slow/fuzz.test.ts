import { expect } from "vitest";
import { CliWorld } from "../cli/support/cli-world.ts";
import { ANYBODY } from "../cli/support/secrets.ts";
import { figure, freshSeed, verifies } from "../promises/verifies.ts";
import { inParallel } from "../support/in-parallel.ts";
import { SeededRandom } from "../support/random.ts";
import { ServiceWorld } from "../support/service-world.ts";
import { InProcess } from "./support/in-process.ts";
import { randomLine, randomText, randomVariables } from "./support/random-lines.ts";
import { expectTyped, problemWith } from "./support/typed-answer.ts";

const LINES_PER_WORLD = 500;

verifies("E4", "random lines in random environments, in process", async () => {
  const seed = freshSeed();
  const codes = new Map<number, number>();
  for (let done = 0; done < figure(20_000, 1_000_000); done += LINES_PER_WORLD) {
    const random = new SeededRandom(seed + done);
    const world = new ServiceWorld();
    const line = new InProcess(world);
    for (let index = 0; index < LINES_PER_WORLD; index += 1) {
      const words = randomLine(random);
      const env = {
        HOME: world.root,
        TT_AGENT_ID: random.chance(0.5) ? "a:1" : undefined,
        ...randomVariables(random, { directories: true }),
      };
      const surroundings = { env, input: randomText(random), isTty: random.chance(0.3) };
      const answered = await line.run(words, surroundings).catch((error: unknown) => {
        throw new Error(`seed ${seed + done}: ${JSON.stringify({ words, ...surroundings })}`, { cause: error });
      });
      expectTyped(answered, { seed: seed + done, ...surroundings });
      codes.set(answered.code ?? -1, (codes.get(answered.code ?? -1) ?? 0) + 1);
    }
  }
  // Lines that are all refused by the parser would prove little.
  for (const code of [0, 2, 5]) expect(codes.get(code) ?? 0).toBeGreaterThan(1000);
});

verifies("E4", "random lines in random environments, as real processes", async () => {
  const seed = freshSeed();
  const world = new CliWorld();
  await world.done("join", { as: "a:1" });
  const numbers = Array.from({ length: figure(200, 5000) }, (_, index) => seed + index);
  await inParallel(2, numbers, async (number) => {
    const random = new SeededRandom(number);
    const words = randomLine(random).map((word) => Buffer.from(word).toString());
    const env = { TT_AGENT_ID: "a:1", TT_WAIT_MAX_MS: "1", ...randomVariables(random) };
    const running = world.start(words, { who: ANYBODY, env, input: randomText(random) });
    // A line that waits or follows for long is ended the way people end it.
    const impatience = setInterval(() => running.kill("SIGINT"), 2000);
    const { code, signal, stdout, stderr } = await running.ended;
    clearInterval(impatience);
    // On a busy machine it may not have come so far that an interrupt is a request.
    const ended = signal === "SIGINT" ? 130 : code;
    expectTyped({ words, code: ended, stdout, stderr }, { seed: number, env, signal });
  });
});

verifies("E4", "the check would find an answer that is no answer", () => {
  const answer = { words: ["x"], code: 5, stdout: "", stderr: "tt: No.\n    Do this.\n" };
  expect(problemWith(answer)).toBeNull();
  expect(problemWith({ ...answer, code: 1 })).toBe("exit 1");
  expect(problemWith({ ...answer, stderr: "" })).toBe("refused without a word");
  expect(problemWith({ ...answer, stderr: "tt: this is a bug in tt: x" })).toBe("called a bug");
  expect(problemWith({ ...answer, stderr: "Error: x\n    at f (/a.js:1:2)\n" })).toBe("a stack trace");
  expect(problemWith({ ...answer, stderr: '{"error":"oops","message":"x","next":"y"}\n' })).toBe(
    "an unknown error oops",
  );
});
