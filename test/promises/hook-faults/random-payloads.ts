/** Payloads of every degree of wrongness: right ones with some fields replaced, nested, cut, or drowned in noise. */
import type { SeededRandom } from "../../support/random.ts";

const FIELDS = [
  "session_id",
  "cwd",
  "transcript_path",
  "source",
  "reason",
  "agent_id",
  "stop_hook_active",
  "hook_event_name",
  "tool_name",
  "tool_input",
  "prompt",
  "prompt_id",
  "turn_id",
  "tool_response",
  "last_assistant_message",
  "__proto__",
  "constructor",
];

const TURNS = ["turn-1", "turn-2", "", null, undefined];

export function randomPayload(random: SeededRandom, sessionIds: readonly string[], tree: string): string {
  const right: Record<string, unknown> = {
    session_id: random.pick(sessionIds),
    cwd: tree,
    transcript_path: "/t/x.jsonl",
    source: random.pick(["startup", "resume", "clear", "compact"]),
    reason: random.pick(["clear", "resume", "other", "exit", "logout"]),
    stop_hook_active: random.chance(0.3),
    prompt_id: random.pick(TURNS),
    turn_id: random.pick(TURNS),
    prompt: random.pick(["go", "[message from x (y)]"]),
    last_assistant_message: random.pick(["Done.", "", null]),
    tool_response: random.pick([{ returnDisplay: "ok" }, { returnDisplay: "Command cancelled by user." }, "ok"]),
  };
  for (let changes = random.between(0, 3); changes > 0; changes -= 1) {
    Object.defineProperty(right, random.pick(FIELDS), {
      value: randomValue(random, 0),
      enumerable: true,
      configurable: true,
    });
  }
  const text = JSON.stringify(right, null, random.chance(0.1) ? 2 : 0);
  if (random.chance(0.75)) return text;
  const at = random.between(0, text.length);
  return random.pick([
    () => text.slice(0, at),
    () => text.slice(at),
    () => `${text.slice(0, at)}${randomText(random)}${text.slice(at)}`,
    () => `${text}${text}`,
    () => randomText(random),
    () => `[${text}]`,
    () => JSON.stringify(randomValue(random, 0)) ?? "",
  ])();
}

function randomValue(random: SeededRandom, depth: number): unknown {
  return random.pick<() => unknown>([
    () => null,
    () => random.chance(0.5),
    () => random.between(-1, 2 ** 31),
    () => randomText(random),
    () => randomText(random).repeat(random.between(1, 50)),
    () => (depth > 3 ? [] : Array.from({ length: random.between(0, 3) }, () => randomValue(random, depth + 1))),
    () => (depth > 3 ? {} : { [random.pick(FIELDS)]: randomValue(random, depth + 1) }),
    () => random.pick(["/", "..", "/nonexistent", "/proc/self/mem", "/dev/null", "~", ".", "\0", "/tmp"]),
  ])();
}

const LETTERS = [
  "a",
  "Z",
  "0",
  "-",
  "_",
  "/",
  ".",
  " ",
  "\n",
  "\0",
  '"',
  "'",
  "\\",
  "$",
  "`",
  "{",
  "}",
  "é",
  "𝄞",
  "\u202e",
];

function randomText(random: SeededRandom): string {
  return Array.from({ length: random.between(0, 40) }, () => random.pick(LETTERS)).join("");
}
