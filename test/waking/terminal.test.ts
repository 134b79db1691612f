/** Keys in a real tmux, into programs that look like each harness. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { WAKE_TEXT } from "../../src/mail/rules/wake-status.ts";
import { type Bundle, bundleFixture } from "../support/fixture.ts";
import { hasTmux, type Screen, TmuxServer } from "./support/tmux-server.ts";

if (!hasTmux) process.stderr.write("\nSKIPPED: keys in terminals: there is no tmux\n\n");

let bundle: Bundle;
beforeAll(async () => {
  bundle = await bundleFixture("test/waking/fixtures/composer.ts");
});
afterAll(() => bundle.remove());

const esc = (text: string) => text.replaceAll("ESC", "\u001b");
const LINE = "─".repeat(60);
const LONG_MS = 5000;

/** Each harness at rest with an empty composer. */
const AT_REST: Readonly<Record<string, Screen>> = {
  claude: {
    title: "✳ Claude Code",
    rows: ["talk", LINE, esc("❯\u00a0ESC[7m ESC[0m"), LINE],
    cursor: { x: 2, y: 2 },
  },
  codex: {
    title: "proj",
    rows: ["talk", "", esc("ESC[1m›ESC[0m ESC[2mAsk Codex to do anything"), "", "  model"],
    cursor: { x: 2, y: 2 },
  },
  gemini: {
    title: "◇  Ready (proj)",
    rows: ["talk", "", esc(" > ESC[7m ESC[0m Type your message or @path/to/file"), ""],
    cursor: { x: 3, y: 2 },
  },
  opencode: { title: "OC | Fix lint", rows: ["talk", "  ┃", "  ┃  ", "  ┃", "  ╹▀▀"], cursor: { x: 5, y: 2 } },
};
const HARNESSES = Object.keys(AT_REST);
const atRest = (harness: string) => AT_REST[harness] as Screen;

function withRow(screen: Screen, row: string, x = screen.cursor.x): Screen {
  const rows = screen.rows.map((old, y) => (y === screen.cursor.y ? row : old));
  return { ...screen, rows, cursor: { ...screen.cursor, x } };
}

describe.skipIf(!hasTmux)("keys in a terminal", () => {
  it.each(HARNESSES)("are the constant text, and then Enter: %s", async (harness) => {
    const server = new TmuxServer(bundle);
    const target = await server.show(atRest(harness), harness);
    expect(await server.waking.obstacle(target, LONG_MS)).toBeNull();
    expect(server.typed).toBe("");
    expect(await server.type(target, LONG_MS)).toBe("sent");
    await expect.poll(() => server.typed).toBe(`${WAKE_TEXT}\r`);
  });

  it.each(HARNESSES)("leave a draft as it is, wherever its cursor stands: %s", async (harness) => {
    const screen = atRest(harness);
    const mark = screen.rows[screen.cursor.y]?.slice(0, screen.cursor.x) ?? "";
    const before = harness === "codex" ? "› " : mark;
    for (const x of [screen.cursor.x, screen.cursor.x + 5]) {
      const server = new TmuxServer(bundle);
      const target = await server.show(withRow(screen, `${before}draft`, x), harness, "idle");
      expect(await server.waking.obstacle(target, LONG_MS)).toBe("draft");
      expect(await server.type(target, LONG_MS)).toBe("draft");
      expect(server.typed).toBe("");
      expect(server.run("capture-pane", "-p")).toContain("draft");
    }
  });

  it.each([
    ["claude", { title: "◑ Claude Code" }, "busy"],
    ["codex", { title: "⠧ proj" }, "busy"],
    ["gemini", { title: "✦  Working… (proj)" }, "busy"],
    ["codex", { title: "[ . ] Action Required | proj" }, "dialog"],
    ["gemini", { title: "✋  Action Required (proj)" }, "dialog"],
    ["claude", { rows: [" Do you want to proceed?", " ❯ 1. Yes", "   2. No"], cursor: { x: 1, y: 1 } }, "dialog"],
    ["codex", { rows: ["Would you like to run it?", "› 1. Yes, proceed (y)"], cursor: { x: 2, y: 1 } }, "dialog"],
    ["opencode", { rows: ["  esc interrupt", "  ┃", "  ┃  ", "  ┃"] }, "busy"],
  ] as const)("are not typed into %s with %o", async (harness, change, obstacle) => {
    const server = new TmuxServer(bundle);
    const target = await server.show({ ...atRest(harness), ...change }, harness);
    expect(await server.waking.obstacle(target, LONG_MS)).toBe(obstacle);
    expect(await server.type(target, LONG_MS)).toBe(obstacle);
    expect(server.typed).toBe("");
  });

  it("are not typed while hooks say that it is at work", async () => {
    const server = new TmuxServer(bundle);
    expect(await server.waking.obstacle(await server.show(atRest("codex"), "codex", "busy"), LONG_MS)).toBe("busy");
  });

  it("are not typed while a person scrolls back in its pane", async () => {
    const server = new TmuxServer(bundle);
    const target = await server.show(atRest("claude"), "claude");
    server.run("copy-mode");
    expect(await server.type(target, LONG_MS)).toBe("busy");
    expect(server.typed).toBe("");
  });

  it("are not followed by Enter when a question has come up meanwhile", async () => {
    const server = new TmuxServer(bundle);
    const screen = { ...atRest("claude"), dialogOnText: " ❯ 1. Yes" };
    // It may get the text that stands there when it has its answer.
    expect(await server.type(await server.show(screen, "claude"), LONG_MS)).toBe("sent");
    expect(server.typed).toBe(WAKE_TEXT);
  });

  it.each<[string, Partial<Screen>]>([
    ["after it", { holds: `${WAKE_TEXT} wait` }],
    ["before it", { holds: `wait${WAKE_TEXT}` }],
    ["inside it", { holds: WAKE_TEXT.replace("room", "rooms") }],
    ["after it, and goes back", { holds: `${WAKE_TEXT}wait`, back: 4 }],
    ["nothing, and goes back", { back: 4 }],
    ["over it", { holds: "no mail please" }],
  ])("are not followed by Enter when a person types %s meanwhile", async (_, change) => {
    for (const harness of HARNESSES) {
      const server = new TmuxServer(bundle);
      const target = await server.show({ ...atRest(harness), ...change }, harness);
      expect(await server.type(target, LONG_MS)).toBe("sent");
      expect(server.typed).toBe(WAKE_TEXT);
    }
  });

  it.each([
    ["is refused", "exit 1", "failed"],
    ["takes too long", "exec sleep 600", "sent"],
  ])("that tmux may have typed are doubtful: it %s", async (_, end, expected) => {
    const server = new TmuxServer(bundle);
    const target = await server.show(atRest("claude"), "claude");
    const odd = server.withTmux(`case "$1" in send-keys) echo "$*" >>"$HOME/asked"; ${end} ;; esac`);
    expect(await odd.type(target, 2000, async () => true)).toBe(expected);
    expect(readFileSync(join(server.home, "asked"), "utf8").trim().split("\n")).toHaveLength(1);
  });

  it("are not typed by whose claim has become another's, and are looked at before it is asked", async () => {
    const server = new TmuxServer(bundle);
    const target = await server.show(atRest("claude"), "claude");
    expect(await server.waking.type(target, LONG_MS, async () => false)).toBe("failed");
    expect(server.typed).toBe("");
    const asked = vi.fn(async () => true);
    expect(await server.waking.type({ ...target, process: null }, LONG_MS, asked)).toBe("no_target");
    expect(asked).not.toHaveBeenCalled();
  });

  it("are not typed with too little time to end it", async () => {
    const server = new TmuxServer(bundle);
    expect(await server.type(await server.show(atRest("claude"), "claude"), 10)).toBe("failed");
    expect(server.typed).toBe("");
  });

  it("go nowhere for a process that is in no pane, or of no known harness", async () => {
    const server = new TmuxServer(bundle);
    const shown = await server.show(atRest("claude"), "claude");
    expect(await server.waking.obstacle(server.target(process.pid, "claude"), LONG_MS)).toBe("no_target");
    expect(await server.waking.obstacle({ ...shown, harness: "other" }, LONG_MS)).toBe("no_target");
    expect(await server.waking.obstacle({ ...shown, process: null }, LONG_MS)).toBe("no_target");
  });

  it("go nowhere when the session was stopped and its shell reads the keys", async () => {
    const server = new TmuxServer(bundle);
    const screen = atRest("claude");
    server.run("-f", "/dev/null", "new-session", "-d", "-x", "100", "-y", "20", "bash", "--norc", "--noprofile", "-i");
    const words = server.program(screen).map((word) => `'${word}'`);
    server.run("send-keys", "-l", words.join(" "));
    server.run("send-keys", "Enter");
    await server.isShown(screen);
    const shell = server.run("list-panes", "-F", "#{pane_pid}").trim();
    const [child = ""] = server.childrenOf(shell);
    const target = server.target(Number(child), "claude");
    expect(await server.waking.obstacle(target, LONG_MS)).toBeNull();
    process.kill(Number(child), "SIGSTOP");
    await expect.poll(() => server.waking.obstacle(target, LONG_MS)).toBe("no_target");
    expect(await server.type(target, LONG_MS)).toBe("no_target");
    process.kill(Number(child), "SIGKILL");
  });

  it("go nowhere for a session that its process no longer shows", async () => {
    const server = new TmuxServer(bundle);
    const target = { ...(await server.show(atRest("claude"), "claude")), sessionId: "before" };
    const sessions = join(server.home, ".claude/sessions");
    mkdirSync(sessions, { recursive: true });
    const shows = (sessionId: string) => {
      const { pid = 0 } = target.process ?? {};
      writeFileSync(join(sessions, `${pid}.json`), JSON.stringify({ pid, sessionId, status: "idle" }));
    };
    shows("before");
    expect(await server.waking.obstacle(target, LONG_MS)).toBeNull();
    shows("after");
    expect(await server.type(target, LONG_MS)).toBe("no_target");
    expect(server.typed).toBe("");
  });

  it("find no terminal where there is no tmux server", async () => {
    const server = new TmuxServer(bundle);
    expect(await server.waking.obstacle(server.target(process.pid, "claude"), LONG_MS)).toBe("no_target");
  });
});
