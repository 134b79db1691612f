/**
 * Notifications by real processes. Where the desktop would be stands a `notify-send` that records how it was called:
 * for us, its arguments are all that there is to see.
 */
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { CliWorld, PERSON, type RunOptions } from "./support/cli-world.ts";

const CODEX = "codex:1";
const PATIENCE = { timeout: 60_000, interval: 20 };

class Desktop extends CliWorld {
  readonly bin = this.directory("bin");
  readonly #calls = join(this.root, "calls");

  constructor(notify: unknown = "desktop") {
    super();
    mkdirSync(join(this.home, ".config/tt"), { recursive: true });
    writeFileSync(join(this.home, ".config/tt/config.json"), JSON.stringify({ notify }));
    // One file for each call, which appears when it is complete.
    mkdirSync(this.#calls);
    this.command("notify-send", `for word; do printf '%s\\0' "$word"; done > "$0.$$"; mv "$0.$$" '${this.#calls}/'`);
  }

  command(name: string, lines: string): string {
    const path = join(this.bin, name);
    writeFileSync(path, `#!/bin/sh\n${lines}\n`);
    chmodSync(path, 0o755);
    return path;
  }

  as(agent: string, env: RunOptions["env"] = {}): RunOptions {
    return { as: agent, env: { PATH: `${this.bin}:${process.env["PATH"]}`, ...env } };
  }

  /** The title and text of each notification, in no order. */
  get shown(): readonly string[] {
    return readdirSync(this.#calls).map((name) => {
      const [app, dashes, ...words] = readFileSync(join(this.#calls, name), "utf8").split("\0").slice(0, -1);
      expect([app, dashes]).toEqual(["--app-name=tt", "--"]);
      return words.join(" | ");
    });
  }

  /** How many children were started for notices. */
  get started(): number {
    return readdirSync(join(this.data, "notices")).filter((name) => name.startsWith("shown.")).length;
  }

  untilShown(count: number): Promise<void> {
    return vi.waitFor(() => expect(this.shown).toHaveLength(count), PATIENCE);
  }

  /** A question that nobody waits for long. */
  ask(text: string, agent = CODEX) {
    return this.tt(["ask", "--timeout", "0s", PERSON, "--", text], this.as(agent));
  }
}

async function withPerson(notify?: unknown): Promise<Desktop> {
  const world = new Desktop(notify);
  await world.done("join", world.as(CODEX));
  await world.done("join", { as: PERSON });
  return world;
}

describe("a notification", () => {
  it("comes for a question to the person, and for no other message", async () => {
    const world = await withPerson();
    await world.done("join", world.as("claude:2"));
    await world.done(["msg", "send", PERSON, "hello"], world.as(CODEX));
    await world.tt(["ask", "claude:2", "you?", "--timeout", "0s"], world.as(CODEX));
    await world.ask("which one?");
    await world.untilShown(1);
    expect(world.shown).toEqual(["tt: codex waits for your answer (tree) | which one?"]);
    expect(world.started).toBe(1);
  });

  it("shows text of others as it is: no markup, no escapes, no options, no commands", async () => {
    const world = await withPerson();
    await world.ask("-u critical <b>x</b> &amp; \\n\\033[31m $(touch pwned) `touch pwned`\n--");
    await world.untilShown(1);
    expect(world.shown[0]?.split(" | ")[1]).toBe(
      "-u critical &lt;b&gt;x&lt;/b&gt; &amp;amp; ∖n∖033[31m $(touch pwned) `touch pwned`∖n--",
    );
    expect(readdirSync(world.tree)).toEqual([]);
  });

  it("comes once for a dead holder that two agents wait for", async () => {
    const world = new Desktop();
    await world.done("join", world.as("a:1", { TT_GONE_GRACE_MS: "0" }));
    const harness = world.startProgram("sleep", ["600"]);
    await world.done("try", world.as(CODEX, { TT_AGENT_PID: String(harness.pid) }));
    const waiters = ["a:1", "b:2"].map((agent) => world.start("wait --timeout 10m --json", world.as(agent)));
    for (const agent of ["a:1", "b:2"]) await world.untilWaiting(agent);
    harness.kill("SIGKILL");
    for (const waiter of waiters) expect((await waiter.ended).code).toBe(4);
    expect((await world.tt("try", world.as("a:1"))).code).toBe(4);
    await world.untilShown(1);
    expect(world.shown[0]).toMatch(/^tt: codex is gone and has the stick \(tree\) \| /);
    expect(world.started).toBe(1);
  });

  it("comes once for a silent holder that others wait for", async () => {
    const world = new Desktop();
    await world.done("join", world.as(CODEX, { TT_LEASE_TTL_MS: "1000" }));
    await world.done("try", world.as(CODEX));
    const waiters = ["a:1", "b:2"].map((agent) => world.start("wait --timeout 10m --json", world.as(agent)));
    for (const waiter of waiters) expect((await waiter.ended).code).toBe(4);
    await world.untilShown(1);
    expect(world.shown[0]).toMatch(/^tt: codex is silent and has the stick/);
    expect(world.started).toBe(1);
  });

  it("is one of few in a minute, and what is left out is counted", async () => {
    const world = await withPerson();
    const began = minute();
    const questions = Array.from({ length: 100 }, (_, index) => index);
    // So many agents that no limit of a sender stops them.
    const ask = (index: number) => world.ask(`question ${index}`, `x:${index % 20}`);
    for (const index of questions.slice(0, 5)) await ask(index);
    for (let at = 5; at < questions.length; at += 10) await Promise.all(questions.slice(at, at + 10).map(ask));
    const minutes = minute() - began + 1;
    const leftOut = () => {
      const file = join(world.data, "notices", "left-out");
      const told = world.shown.map((text) => Number(/\((\d+) more before/.exec(text)?.[1] ?? 0));
      return told.reduce((sum, count) => sum + count, existsSync(file) ? statSync(file).size : 0);
    };
    // Each notification that takes the count may miss the processes that add to it in the same instant.
    const missed = 9 * 5 * (minutes - 1);
    await vi.waitFor(() => expect(world.shown.length + leftOut()).toBeGreaterThanOrEqual(100 - missed), PATIENCE);
    expect(world.shown.length + leftOut()).toBeLessThanOrEqual(100);
    expect(world.shown.length).toBeGreaterThanOrEqual(5);
    expect(world.shown.length).toBeLessThanOrEqual(5 * minutes);
  });

  it("never delays or spoils the answer, whatever becomes of its program", async () => {
    const world = await withPerson();
    world.command("notify-send", `echo noise; echo noise >&2; echo $$ > '${world.root}/slow'; exec sleep 600`);
    const slow = await world.ask("slow?");
    onTestFinished(() => endWhoWrote(join(world.root, "slow")));
    writeFileSync(join(world.bin, "notify-send"), "not a program");
    const broken = await world.ask("broken?");
    chmodSync(join(world.bin, "notify-send"), 0o644);
    const trace = join(world.root, "trace");
    const options = world.as(CODEX, { TT_TRACE_FILE: trace, PATH: world.bin });
    const missing = await world.tt(["ask", PERSON, "missing?", "--timeout", "0s"], options);
    for (const { code, stderr } of [slow, broken, missing]) expect([code, stderr]).toEqual([slow.code, ""]);
    expect(readFileSync(trace, "utf8")).toContain("neither notify-send nor osascript");
  });
});

describe("a command of the user", () => {
  it("gets the event on its standard input, with a small environment", async () => {
    const world = new Desktop();
    const file = join(world.root, "event");
    const mine = world.command(
      "mine",
      `cat > '${file}.new'; env > '${file}.env'; pwd >> '${file}.env'; mv '${file}.new' '${file}'`,
    );
    writeFileSync(join(world.home, ".config/tt/config.json"), JSON.stringify({ notify: [mine, "word"] }));
    await world.done("join", world.as(CODEX));
    await world.done("join", { as: PERSON });
    await world.tt(["ask", PERSON, "a\u001b b", "--timeout", "0s"], world.as(CODEX, { SECRET: "x" }));
    await vi.waitFor(() => expect(existsSync(file)).toBe(true), PATIENCE);
    expect(readFileSync(file, "utf8")).not.toContain("\u001b");
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({
      kind: "question",
      room_id: expect.any(String),
      path: world.tree,
      agent: "codex",
      text: "a\u001b b",
      title: "tt: codex waits for your answer (tree)",
      body: "a\\u{1b} b",
      left_out: 0,
    });
    const environment = readFileSync(`${file}.env`, "utf8");
    expect(environment).not.toMatch(/SECRET|TT_/);
    expect(environment).toMatch(/\n\/\n$/);
  });

  it("counts only in the settings of the user's home", async () => {
    const world = new Desktop("off");
    const settings = join(world.tree, "config.json");
    writeFileSync(settings, JSON.stringify({ notify: ["/bin/true"] }));
    const { code, stderr } = await world.tt("join", { as: CODEX, env: { TT_CONFIG: settings } });
    expect([code, stderr]).toEqual([5, expect.stringContaining("which only ~/.config/tt/config.json may do")]);
  });

  it.each([[5], ["loud"], [[]], [["relative"]], [["/bin/true", 5]], [{ a: 1 }]])(
    "%j is no such setting",
    async (notify) => {
      const { code, stderr } = await new Desktop(notify).tt("join", { as: CODEX });
      expect([code, stderr]).toEqual([5, expect.stringContaining("The setting notify in ")]);
    },
  );
});

describe("tt notify test", () => {
  it("shows a notification, or tells why it cannot", async () => {
    const world = new Desktop();
    expect((await world.done("notify test", world.as(CODEX))).stdout).toContain(
      "notify-send has shown a notification.",
    );
    expect(world.shown).toEqual(["tt: notifications work | You asked for this one: tt notify test"]);
    world.command("notify-send", "echo no bus >&2; exit 1");
    const failed = await world.tt("notify test", world.as(CODEX));
    expect([failed.code, failed.stdout]).toEqual([70, expect.stringContaining("ended with 1: no bus")]);
    const off = await new Desktop("off").tt("notify test", { as: CODEX });
    expect([off.code, off.stderr]).toEqual([5, expect.stringContaining("Notifications are off.")]);
    expect((await world.tt("notify now", { as: CODEX })).code).toBe(2);
  });

  it("asks no store, so it need not wait for a server that does not answer", async () => {
    let asked = 0;
    const server = createServer(() => void (asked += 1)).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const env = { TT_STORE: `postgres://me@127.0.0.1:${port}/db` };
    const world = new Desktop();
    expect((await world.tt("notify test", world.as(CODEX, env))).code).toBe(0);
    expect((await new Desktop("off").tt("notify test", { as: CODEX, env })).code).toBe(5);
    expect(asked).toBe(0);
  });

  it("tt doctor tells whether they are on, and whether the program is there", async () => {
    const world = new Desktop();
    const said = async (options: RunOptions) => (await world.tt("doctor --json", options)).stdout;
    expect(await said(world.as(CODEX))).toContain(`notifications go through ${world.bin}/notify-send`);
    chmodSync(join(world.bin, "notify-send"), 0o644);
    expect(await said(world.as(CODEX, { PATH: world.bin }))).toContain("neither notify-send nor osascript is on PATH");
    expect((await new Desktop("off").tt("doctor", { as: CODEX })).stdout).toContain("notifications are off");
  });
});

/** The process is nobody's child, so the test ends it. */
async function endWhoWrote(file: string): Promise<void> {
  const pid = await vi.waitFor(() => Number(/^(\d+)\n$/.exec(readFileSync(file, "utf8"))?.[1] ?? fail()), PATIENCE);
  process.kill(pid, "SIGKILL");
}

function fail(): never {
  throw new Error("it has not begun yet");
}

function minute(): number {
  return Math.floor(Date.now() / 60_000);
}
