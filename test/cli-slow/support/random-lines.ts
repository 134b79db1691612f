/** Random command lines and environments: right words in wrong places, wrong words in right ones, and noise. */
import type { Command, FlagKind } from "../../../src/surfaces/cli/command.ts";
import { GLOBAL_FLAGS } from "../../../src/surfaces/cli/parse.ts";
import { GROUPS } from "../../../src/surfaces/cli/table.ts";
import type { SeededRandom } from "../../support/random.ts";

const COMMANDS = GROUPS.flatMap((group) => group.commands);
const FLAGS = [...Object.keys(GLOBAL_FLAGS), ...COMMANDS.flatMap((command) => Object.keys(command.flags ?? {}))];

/** Values that fit, so that a line often gets past the parser. */
const FITTING: Readonly<Record<FlagKind, readonly string[]>> = {
  boolean: [""],
  duration: ["0", "1ms", "500ms", "1s", "24h"],
  number: ["0", "1", "2", "-1", "500", "501", "9007199254740991"],
  text: ["a:1", "b:2", "self", "any", ".", "x"],
  list: ["claim", "claim,release", "src/a.ts:1-2:edit", "x"],
};

const NOISE = [
  "",
  " ",
  "-",
  "--",
  "---",
  "--=",
  "--json=",
  "-x",
  "=",
  "0",
  "-1",
  "1e999",
  "9007199254740993",
  "NaN",
  "500ms",
  "1s",
  "24h",
  "25h",
  "null",
  "[]",
  "{}",
  "__proto__",
  "constructor",
  "toString",
  "--__proto__",
  "--constructor=1",
  "self",
  "any",
  "a:1",
  "b:2",
  "claude",
  "claude:12345678",
  "human:root",
  "lease_ttl_ms=1000",
  "lease_ttl_ms=",
  "=1",
  "claim,release",
  "claim,,",
  "init",
  "bash",
  "add",
  "resolve",
  "msg",
  "send",
  "recv",
  "dlq",
  "room",
  ".",
  "..",
  "./x",
  "/nowhere/at/all",
  "a.ts:1-2:edit",
  ":1-2",
  "%s%n%d",
  "$(id)",
  "'; DROP TABLE rooms; --",
  "naïve ✓ 𝕏",
  "\u202e\u0007\u001b[31m",
  "\ud800",
  "a\nb",
  "x".repeat(300),
  "x".repeat(5000),
];

/** Values that an environment may have; paths stay inside the test's own directory or lead nowhere. */
const VALUES = [
  ...NOISE,
  "1",
  "true",
  "/",
  "/dev/null",
  "/proc/self/nowhere",
  "postgres://127.0.0.1:1/x",
  "memory",
  "99999999",
];

/** Not LANG: Node itself crashes on some of its values before it runs a program. */
const VARIABLES =
  "TT_AGENT_ID TT_HARNESS_AGENT_ID TT_AGENT_PID TT_STORE TT_CONFIG TT_LEASE_TTL_MS TT_WAIT_MAX_MS TT_HOPS_MAX " +
  "NO_COLOR TERM COLUMNS TMUX_PANE CLAUDECODE CLAUDE_CODE_SESSION_ID CLAUDE_PID CLAUDE_CONFIG_DIR CODEX_THREAD_ID " +
  "CODEX_SESSION_ID CODEX_SANDBOX GEMINI_CLI GEMINI_SESSION_ID OPENCODE OPENCODE_PID TT_OPENCODE_SESSION_ID PWD";

export function randomLine(random: SeededRandom): string[] {
  const command = random.chance(0.95) ? random.pick(COMMANDS) : null;
  const words = command ? command.name.split(" ") : [];
  for (const { name } of command?.positionals ?? []) {
    if (random.chance(0.7)) words.push(random.chance(0.3) ? random.pick(name.split("|")) : random.pick(NOISE));
  }
  const flags = random.between(0, 4);
  for (let index = 0; index < flags; index += 1) words.push(...randomFlag(random, command));
  if (random.chance(0.3)) words.push(random.chance(0.5) ? random.pick(NOISE) : randomText(random));
  // Sometimes a letter is lost, doubled or put in the wrong place.
  return words.map((word) => (random.chance(0.02) ? misspelt(random, word) : word));
}

function randomFlag(random: SeededRandom, command: Command | null): string[] {
  const known = { ...GLOBAL_FLAGS, ...command?.flags };
  const name = random.chance(0.95) ? random.pick(Object.keys(known)) : random.pick(FLAGS);
  const kind = known[name]?.kind ?? "text";
  const value = random.chance(0.7) ? random.pick(FITTING[kind]) : random.pick(NOISE);
  if (kind === "boolean") return [random.chance(0.95) ? `--${name}` : `--${name}=${value}`];
  return random.chance(0.5) ? [`--${name}`, value] : [`--${name}=${value}`];
}

function misspelt(random: SeededRandom, word: string): string {
  const at = random.between(0, word.length);
  return random.chance(0.5)
    ? word.slice(0, at) + word.slice(at + 1)
    : `${word.slice(0, at)}${word[at] ?? "x"}${word.slice(at)}`;
}

export function randomText(random: SeededRandom): string {
  return Array.from({ length: random.between(0, 40) }, () => String.fromCodePoint(codePoint(random))).join("");
}

/** Mostly letters, some of everything. No NUL, which neither a word nor a variable can hold. */
function codePoint(random: SeededRandom): number {
  if (random.chance(0.7)) return random.between(32, 126);
  const any = random.between(1, 0x1_0f_ff);
  return any >= 0xd800 && any <= 0xdfff ? 0xfffd : any;
}

/** Only where nothing is written to what they name. */
const DIRECTORIES = ["HOME", "TT_DATA_DIR", "XDG_DATA_HOME"];

export function randomVariables(random: SeededRandom, { directories = false } = {}): Record<string, string> {
  const known = [...VARIABLES.split(" "), ...(directories ? DIRECTORIES : [])];
  const names = Array.from({ length: random.between(0, 5) }, () => random.pick(known));
  return Object.fromEntries(names.map((name) => [name, random.chance(0.8) ? random.pick(VALUES) : randomText(random)]));
}
