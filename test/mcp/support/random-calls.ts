/** Random calls: right arguments in wrong places, wrong ones in right places, and noise. */
import { TOOLS } from "../../../src/surfaces/mcp/tools.ts";
import type { SeededRandom } from "../../support/random.ts";

const NAMES = TOOLS.map(({ name }) => name);
const FIELDS = [...new Set(TOOLS.flatMap(fieldsOf))];

function fieldsOf({ schema }: (typeof TOOLS)[number]): string[] {
  return Object.keys(schema["properties"] ?? {});
}

/** Values that fit somewhere, so that a call often gets past the schema. */
const FITTING: Readonly<Record<string, readonly unknown[]>> = {
  body: ["hello", "", "x".repeat(9000), "naïve ✓ 𝕏"],
  to: ["a:1", "b:2", "room", "nobody"],
  to_agent_id: ["a:1", "b:2", "nobody"],
  target_agent_id: ["a:1", "b:2", "self", "any"],
  lease_id: ["id1", "id2", "id9", "x"],
  expected_turn_id: [0, 1, 2, 3, -1],
  turn_id: [1, 2],
  message_id: ["id3", "id7", "id20", "x"],
  note_id: ["id5", "id9"],
  attempt: [0, 1, 2],
  reason: ["because", ""],
  why: ["a hotfix"],
  handoff: [
    { status: "done with the parser", next_action: "write its tests" },
    { status: "", next_action: "" },
  ],
  max_wait_ms: [0],
  timeout_ms: [0],
  limit: [1, 50, 51, 0],
  after_event_seq: [0, 3, -1, 1e9],
  event_type: [["claim"], ["nonsense"], []],
  delivery_hint: ["normal", "interrupt"],
  ack: ["auto", "manual"],
  session_id: ["s-1", "../x"],
  context_path: [".", "/nowhere"],
  claim: [true, false],
  unresolved_only: [true],
};

const NOISE: readonly unknown[] = [
  null,
  true,
  "",
  " ",
  "0",
  0,
  -1,
  1.5,
  1e308,
  2 ** 53 + 2,
  [],
  [[]],
  {},
  { __proto__: null, a: { b: { c: {} } } },
  "__proto__",
  "constructor",
  "\ud800",
  "\u0000",
  "\u202e\u0007\u001b[31m",
  "'; DROP TABLE rooms; --",
  "x".repeat(100_000),
  Array.from({ length: 1000 }, (_, index) => index),
];

/** Waiting is left out where it could last: time does not pass in a test. */
const ALWAYS: Readonly<Record<string, object>> = {
  wait_for_turn: { max_wait_ms: 0 },
  wait_for_events: { max_wait_ms: 0 },
  ask_peer: { timeout_ms: 0 },
};

export function randomCall(random: SeededRandom): object {
  const name = random.chance(0.97) ? random.pick(NAMES) : random.pick(["", "x", "wait_for_turns", "toString"]);
  const tool = TOOLS.find((known) => known.name === name);
  const own = tool ? fieldsOf(tool) : [];
  const input: Record<string, unknown> = {};
  for (const field of own) if (random.chance(0.7)) input[field] = randomValue(random, field);
  if (random.chance(0.1)) input[random.pick(FIELDS)] = randomValue(random, random.pick(FIELDS));
  if (random.chance(0.03)) input["__proto__x"] = random.pick(NOISE);
  if (random.chance(0.8)) delete input["room_id"];
  const given = random.chance(0.98) ? { ...input, ...ALWAYS[name] } : random.pick([undefined, {}]);
  const agent = random.pick(["a:1", "b:2"]);
  const progress = random.chance(0.2) ? { progressToken: random.pick([1, "x"]) } : {};
  return { name, arguments: given, _meta: { agent, ...progress } };
}

function randomValue(random: SeededRandom, field: string): unknown {
  return random.chance(0.75) ? random.pick(FITTING[field] ?? ["x", 1]) : random.pick(NOISE);
}

/** A line that may be anything, with its end. */
export function randomLine(random: SeededRandom): string {
  const id = random.pick<unknown>([random.between(1000, 9999), "x", null, 1.5, {}, undefined]);
  const params = random.pick<unknown>([randomCall(random), randomCall(random), [], null, "x", undefined]);
  const method = random.pick<unknown>([
    "tools/call",
    "tools/call",
    "tools/list",
    "initialize",
    "server/discover",
    "notifications/cancelled",
    "notifications/initialized",
    "resources/list",
    "completion/complete",
    "__proto__",
    "",
    7,
  ]);
  const message = { jsonrpc: random.chance(0.95) ? "2.0" : "1.0", id, method, params };
  const text = random.chance(0.9) ? JSON.stringify(message) : JSON.stringify(random.pick(NOISE));
  if (random.chance(0.9)) return `${text}\n`;
  return `${text.slice(0, random.between(0, text.length))}\n`;
}
