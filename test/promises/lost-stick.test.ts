/**
 * S8. A holder loses the stick by another's act: a takeover, a gift to another agent, a kick, a close, and a takeover that only a changed policy made
 * possible. The next hook of each harness says who did it and why, once. The refusal of what the holder does with its
 * token tells the same, and without hooks the answer of the next call does, by command and by MCP.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { HookEvent } from "../../src/hooks/rules/hook.ts";
import { asPerson, changePolicy, PERSON } from "../cli/support/cli-world.ts";
import { type Harness, type HarnessName, HookWorld, type Payload } from "../hook/support/hook-world.ts";
import { BareServer } from "../mcp/support/bare-server.ts";
import { inParallel } from "../support/in-parallel.ts";
import { idOf } from "../support/session-clues.ts";
import { verifies } from "./verifies.ts";

const SESSION = "11111111-aaaa-4aaa-8aaa-111111111111";
const PEER = "peer:1";
const REASON = "it writes to the wrong branch";
const HANDOFF = ["--status", "x", "--next-action", "y"];
const LEASE_TTL_MS = 2_700_000;

interface Ended {
  readonly how: string;
  readonly by: string;
  readonly error: string;
  readonly reason: string;
  /** What the holder reads. */
  readonly words: string;
}

interface Act extends Ended {
  /** Done while the holder holds turn 1 or a later one. */
  readonly run: (world: HookWorld, holder: Holder) => Promise<void>;
  /** Lets the holder take the stick again. */
  readonly undo: (world: HookWorld, holder: Holder) => Promise<void>;
}

/** A holder, by whatever door. */
interface Holder {
  readonly agentId: string;
  readonly heartbeat: () => Promise<Readonly<Record<string, unknown>>>;
  /** Stops what renews its lease by itself, and lets it go on. */
  readonly signal: (signal: "SIGSTOP" | "SIGCONT") => void;
}

async function person(world: HookWorld, ...words: string[]): Promise<void> {
  const { code, stdout } = await asPerson(world, words);
  if (code !== 0) throw new Error(`${words.join(" ")}: ${stdout}`);
}

const BY_PERSON = { by: PERSON, reason: REASON };

const ACTS: Readonly<Record<"takeover" | "given" | "kick" | "close" | "policy", Act>> = {
  takeover: {
    ...BY_PERSON,
    how: "takeover",
    error: "turn_mismatch",
    words: `${PERSON}, a person, took the stick from you on `,
    run: (world) => person(world, "take", "--operator-requested", "--reason", REASON),
    undo: (world) => person(world, "release", ...HANDOFF),
  },
  given: {
    ...BY_PERSON,
    how: "given",
    error: "stale_lease",
    words: `${PERSON}, a person, gave the stick that you held to another on `,
    run: async (world) => {
      await world.done("join", { as: PEER });
      await person(world, "give", PEER, "--yes", "--reason", REASON);
    },
    undo: async (world) => {
      await world.done("try", { as: PEER });
      await world.done(["release", ...HANDOFF], { as: PEER });
    },
  },
  kick: {
    ...BY_PERSON,
    how: "kick",
    error: "stale_lease",
    words: `${PERSON}, a person, removed you from the room on `,
    run: (world, { agentId }) => person(world, "kick", agentId, "--force", "--reason", REASON),
    undo: async () => undefined,
  },
  close: {
    ...BY_PERSON,
    how: "close",
    error: "room_closed",
    words: `${PERSON}, a person, closed the room on `,
    run: (world) => person(world, "close", "--operator-requested", "--reason", REASON),
    undo: (world) => person(world, "join"),
  },
  policy: {
    how: "takeover",
    by: PEER,
    reason: "it is silent",
    error: "turn_mismatch",
    words: `During that turn ${PERSON}, a person, changed the policy on `,
    run: async (world, { heartbeat, signal }) => {
      await changePolicy(world, "lease_ttl_ms=1000");
      expect(await heartbeat()).toMatchObject({ status: "ok" });
      signal("SIGSTOP");
      const words = ["take", "--reason", "it is silent", "--json"];
      await world.until(words, ({ code }) => code === 0, { as: PEER });
      signal("SIGCONT");
    },
    undo: async (world) => {
      await changePolicy(world, `lease_ttl_ms=${LEASE_TTL_MS}`);
      await world.done(["release", ...HANDOFF], { as: PEER });
    },
  },
};

/** What the refusal of a call with the lost turn tells. */
function expectRefusal(refused: Readonly<Record<string, unknown>>, { how, by, reason, error, words }: Ended): void {
  expect(refused).toMatchObject({ error, ended: { how, by, reason } });
  expect(refused["message"]).toContain(words);
  expect(refused["message"]).toContain(`Reason: "${reason}".`);
  expect(refused).not.toHaveProperty("lost");
}

/** A session with hooks that works in the room. */
class Session implements Holder {
  readonly agentId: string;
  readonly world: HookWorld;
  readonly #harness: Harness;
  readonly #name: HarnessName;

  private constructor(world: HookWorld, name: HarnessName) {
    this.world = world;
    this.#name = name;
    this.#harness = world.harness(name);
    this.agentId = idOf(name, SESSION);
  }

  static async open(name: HarnessName): Promise<Session> {
    const world = new HookWorld();
    await world.done("join", { as: PEER });
    const session = new Session(world, name);
    await session.hook("session-start", { source: "startup" });
    await session.hook("prompt");
    return session;
  }

  async hook(event: HookEvent, more: Payload = {}): Promise<string> {
    const { code, said } = await this.#harness.hook(event, SESSION, more);
    expect(code).toBe(0);
    return said;
  }

  async tt(words: string): Promise<Readonly<Record<string, unknown>>> {
    const { stdout, stderr } = await this.#harness.tt(`${words} --json`, SESSION);
    return JSON.parse(stdout === "" ? stderr : stdout) as Readonly<Record<string, unknown>>;
  }

  heartbeat = () => this.tt("heartbeat");

  signal = () => undefined;

  async hold(): Promise<void> {
    expect(await this.tt("try")).toMatchObject({ status: "your_turn" });
  }

  /** The turn goes on and ends, as the harness tells it. */
  async goOn(said: string): Promise<void> {
    if (this.#name !== "gemini") expect(await this.hook("pre-tool")).toBe("");
    const more = this.#name === "gemini" ? this.#transcriptWith(said) : {};
    expect(await this.hook("stop", { stop_hook_active: true, ...more })).toBe("");
  }

  /** Only its transcript tells that Gemini CLI's model went on with what it was shown. */
  #transcriptWith(said: string): Payload {
    const path = join(this.world.root, "session.jsonl");
    const records = [
      { type: "user", content: [{ text: "go" }, { text: said }] },
      { type: "gemini", content: "Done." },
    ];
    writeFileSync(path, records.map((record) => `${JSON.stringify(record)}\n`).join(""));
    return { transcript_path: path };
  }
}

const TOOL: Readonly<Record<HarnessName, HookEvent>> = {
  claude: "post-tool",
  codex: "pre-tool",
  gemini: "post-tool",
  opencode: "post-tool",
};

/** Each act is told by another event, and each harness tells by every event that shows something. */
const eventsOf = (name: HarnessName) =>
  [
    [ACTS.takeover, TOOL[name]],
    [ACTS.given, "prompt"],
    [ACTS.kick, "prompt"],
    [ACTS.close, "stop"],
    [ACTS.policy, "session-start"],
  ] as const;

async function loseAll(name: HarnessName): Promise<void> {
  const session = await Session.open(name);
  const { world } = session;
  for (const [act, event] of eventsOf(name)) {
    await session.hold();
    await act.run(world, session);
    expect(world.flagOf(SESSION)).toBe(true);
    const said = await session.hook(event, event === "session-start" ? { source: "resume" } : {});
    expect(said).toContain(act.words);
    expect(said).toContain(`Reason: "${act.reason}".`);
    expect(said).toMatch(/You no longer hold the stick: stop writing there\./);
    await session.goOn(said);
    // It has been told, and is told no more.
    expect(await session.hook("prompt")).not.toContain("talking stick");
    expectRefusal(await session.heartbeat(), act);
    await act.undo(world, session);
  }
}

verifies(
  "S8",
  "the next hook of each harness says who took it and why, once, and the refusal says the same",
  async () => {
    await inParallel(2, ["claude", "codex", "gemini", "opencode"] as const, loseAll);
  },
);

verifies("S8", "what a harness threw away is said again, and what a command has told no hook says", async () => {
  const session = await Session.open("claude");
  await session.hold();
  await ACTS.takeover.run(session.world, session);
  const said = await session.hook("post-tool");
  expect(said).toContain(ACTS.takeover.words);
  // Its user pressed Esc: nothing tells of that but the next prompt.
  expect(await session.hook("prompt")).toBe(said);
  expect(await session.hook("turn-broken")).toBe("");
  expect(await session.hook("prompt")).toBe(said);
  await session.goOn(said);
  await ACTS.takeover.undo(session.world, session);

  await session.hold();
  await ACTS.takeover.run(session.world, session);
  expect(await session.tt("wait --timeout 1ms")).toMatchObject({
    status: "not_yet",
    lost: { how: "takeover", by: PERSON, reason: REASON },
  });
  for (const event of ["post-tool", "stop", "prompt"] as const) expect(await session.hook(event)).toBe("");
});

verifies("S8", "a stick that its holder released, passed on or left is no loss", async () => {
  const session = await Session.open("claude");
  const { world } = session;
  for (const words of ["release --status x --next-action y", `pass ${PEER} --status x --next-action y`, "leave"]) {
    await session.hold();
    const next = world.start("wait --timeout 60s --json", { as: PEER });
    await world.untilWaiting(PEER);
    expect(await session.tt(words)).not.toHaveProperty("error");
    await next.ended;
    for (const event of ["post-tool", "stop", "prompt"] as const) expect(await session.hook(event)).toBe("");
    await world.done(["release", ...HANDOFF], { as: PEER });
  }
});

/** A member without hooks, whose client talks to the server. */
class Client implements Holder {
  readonly agentId = "mcp:1";
  readonly #server: BareServer;
  turn: Readonly<Record<string, unknown>> = {};

  private constructor(world: HookWorld) {
    this.#server = new BareServer(world.start("mcp --tools all", { as: this.agentId, input: null }).child);
  }

  static async open(world: HookWorld): Promise<Client> {
    const client = new Client(world);
    await client.#server.initialize();
    return client;
  }

  async call(name: string, input: object = {}): Promise<Readonly<Record<string, unknown>>> {
    return (await this.#server.resultOf(this.#server.callTool(name, input))).answer;
  }

  async hold(): Promise<void> {
    const turn = await this.call("wait_for_turn", { max_wait_ms: 0 });
    expect(turn).toMatchObject({ status: "your_turn" });
    expect(turn).not.toHaveProperty("lost");
    this.turn = { lease_id: turn["lease_id"], expected_turn_id: turn["turn_id"] };
  }

  heartbeat = () => this.call("heartbeat", this.turn);

  signal = (signal: "SIGSTOP" | "SIGCONT") => void this.#server.child.kill(signal);
}

verifies(
  "S8",
  "without hooks the next call tells it, whichever that is, and the refusal of the old token",
  async () => {
    const world = new HookWorld();
    await world.done("join", { as: PEER });
    const client = await Client.open(world);
    const next = [
      [ACTS.takeover, "wait_for_turn", { max_wait_ms: 0 }],
      [ACTS.given, "wait_for_turn", { max_wait_ms: 0 }],
      [ACTS.kick, "read_my_messages", {}],
      [ACTS.close, "join_path", {}],
      [ACTS.policy, "add_note", { body: "seen" }],
    ] as const;
    for (const [act, tool, input] of next) {
      await client.hold();
      await act.run(world, client);
      const { how, by, reason, words } = act;
      const lost = { how, by, reason };
      for (const _ of [1, 2]) expect(await client.call("get_room_state")).toMatchObject({ lost });
      const told = await client.call(tool, input);
      expect(told).toMatchObject({ lost });
      expect((told["lost"] as { readonly message: string }).message).toContain(words);
      for (const call of ["get_room_state", "read_my_messages"])
        expect(await client.call(call)).not.toHaveProperty("lost");
      if (tool !== "join_path") expectRefusal(await client.heartbeat(), act);
      await act.undo(world, client);
    }
    await client.hold();
    const handoff = { status: "x", next_action: "y" };
    expect(await client.call("release_stick", { ...client.turn, handoff })).toMatchObject({ status: "released" });
    expect(await client.heartbeat()).toMatchObject({
      error: "stale_lease",
      ended: { how: "release", by: client.agentId },
    });
    expect(await client.call("get_room_state")).not.toHaveProperty("lost");
    // A token of which nothing was told before: the refusal is what tells.
    await client.hold();
    await ACTS.takeover.run(world, client);
    expectRefusal(await client.call("release_stick", { ...client.turn, handoff }), ACTS.takeover);
    expect(await client.call("get_room_state")).not.toHaveProperty("lost");
  },
);
