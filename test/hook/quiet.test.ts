/**
 * Prompts and ends of turns that start no program, with the real script, the real program and a store: when they do not, and
 * everything for which they do. A hook is quiet if the program did not start.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { idOf } from "../support/session-clues.ts";
import { PEER, type QuietSession, QuietWorld } from "./support/quiet-world.ts";
import { bodyIn } from "./support/said.ts";

const HARNESSES = ["claude", "codex", "gemini", "opencode"] as const;
const QUIET = { isQuiet: true, code: 0, stdout: "", stderr: "" };
const SHELLS = ["/bin/sh", "/bin/bash", "/bin/busybox"].filter((shell) => existsSync(shell));
const RELEASE = ["release", "--status", "done", "--next-action", "go on"];

describe.each(HARNESSES)("%s", (name) => {
  test.each(SHELLS)(
    "after a look that found nothing, no program starts, and others see busy and idle (%s)",
    async (shell) => {
      const session = await QuietWorld.with(name, { shell: shell.endsWith("busybox") ? `${shell} sh` : shell });
      for (const _ of [1, 2]) {
        expect(await session.stop()).toMatchObject(QUIET);
        expect(await session.activity()).toBe("idle");
        expect(await session.prompt()).toMatchObject(QUIET);
        expect(await session.activity()).toBe("busy");
      }
    },
  );

  test("mail comes with the next prompt", async () => {
    const session = await QuietWorld.with(name);
    await session.stop();
    await session.world.done(`msg send ${name} hello`, PEER);
    const shown = await session.prompt();
    expect(shown).toMatchObject({ isQuiet: false });
    expect(bodyIn(shown.said)).toBe("hello");
    // Until the mail is settled, every hook looks.
    expect(await session.stop()).toMatchObject({ isQuiet: false });
  });

  test("after a lost flag, the first prompt after five minutes looks", async () => {
    const session = await QuietWorld.with(name);
    await session.stop();
    await session.world.done(`msg send ${name} hello`, PEER);
    rmSync(join(session.world.data, "flags", session.id));
    expect(await session.prompt()).toMatchObject(QUIET);
    pass(session, 300);
    const shown = await session.prompt();
    expect(bodyIn(shown.said)).toBe("hello");
  });
});

/** As if these seconds had passed since the look: the mark then ends so much earlier. */
function pass(session: QuietSession, seconds: number): void {
  session.changeMark(([until, ...rest]) => [`${Number(until) - seconds}`, ...rest]);
}

describe("a stick", () => {
  const holds = "You still hold the stick";

  test("that the session took itself", async () => {
    const session = await QuietWorld.with("claude");
    await session.tt("try --json");
    expect((await session.stop()).said).toContain(holds);
  });

  test("that its waiting command was granted while the turn went on", async () => {
    const session = await QuietWorld.with("claude");
    await session.world.done("try", PEER);
    const env = { CLAUDECODE: "1", CLAUDE_CODE_SESSION_ID: session.id };
    const waiting = session.world.start("wait --timeout 20s --json", { env, who: idOf("claude", session.id) });
    await session.world.untilWaiting(idOf("claude", session.id));
    await session.prompt();
    expect(await session.stop()).toMatchObject(QUIET);
    await session.world.done(RELEASE, PEER);
    expect((await waiting.ended).stdout).toContain("your_turn");
    expect((await session.stop()).said).toContain(holds);
  });

  test("that is reserved for it, even if no flag could be raised", async () => {
    const session = await QuietWorld.with("claude");
    await session.world.done("try", PEER);
    await session.world.done(["pass", "claude", ...RELEASE.slice(1)], PEER);
    rmSync(join(session.world.data, "flags", session.id));
    expect(await session.prompt()).toMatchObject({ isQuiet: false });
  });

  test("that it has handed over is no reason any more", async () => {
    const session = await QuietWorld.with("claude");
    await session.tt("try --json");
    await session.stop();
    await session.tt("release --status done --next-action 'go on' --json");
    expect(await session.prompt()).toMatchObject({ isQuiet: false });
    expect(await session.stop()).toMatchObject(QUIET);
  });
});

describe("the program starts", () => {
  test.each<[when: string, words: (words: string[]) => readonly string[]]>([
    ["five minutes after the look", ([until, ...rest]) => [`${Number(until) - 300}`, ...rest]],
    ["if the mark counts for longer than a mark does", ([until, ...rest]) => [`${Number(until) + 1000}`, ...rest]],
    ["after a reboot", ([until, , ...rest]) => [until ?? "", "another-boot", ...rest]],
    ["for another version of the script", (words) => words.with(2, words[2]?.replace("0.0.0", "0.0.1") ?? "")],
    ["for another process of the session", (words) => words.with(2, `1${words[2]}`)],
    ["if the permit of the mark is another file", (words) => words.with(3, `../permit/${words[3]}`)],
    ["if the permit is a later one", (words) => words.with(4, `${words[4]}0`)],
    ["if the mark has too few words", (words) => words.slice(0, 4)],
    ["if the mark has too many words", (words) => [...words, "more"]],
    ["if the mark is empty", () => []],
    ["if the mark ends at no number", (words) => words.with(0, "never")],
    ["if the mark ends at a number that is none here", (words) => words.with(0, "9".repeat(40))],
  ])("%s", async (_, words) => {
    const session = await QuietWorld.with("claude");
    session.changeMark(words);
    expect(await session.stop()).toMatchObject({ ...QUIET, isQuiet: false });
    expect(await session.activity()).toBe("idle");
  });

  test.each<[what: string, plant: (path: string) => void]>([
    ["a link", (path) => symlinkSync(elsewhere(path), path)],
    ["a pipe", (path) => execFileSync("mkfifo", [path])],
    ["a directory", (path) => mkdirSync(path)],
  ])("and follows nothing if %s is planted at one of the files", async (_, plant) => {
    for (const kind of ["mark", "permit", "told"] as const) {
      const session = await QuietWorld.with("claude");
      const path = session.file(kind);
      const content = existsSync(path) ? readFileSync(path, "utf8") : "busy";
      writeFileSync(elsewhere(path), content);
      rmSync(path, { force: true });
      plant(path);
      expect([kind, await session.stop()]).toMatchObject([kind, { ...QUIET, isQuiet: false }]);
      expect(readFileSync(elsewhere(path), "utf8")).toBe(content);
    }
  });

  test("if what was told last is garbage, only its turn is unknown", async () => {
    const session = await QuietWorld.with("claude");
    await session.stop();
    for (const text of ["", "busy", "\0\0", "busy 1 2 3 4 5", "x".repeat(10_000)]) {
      writeFileSync(session.file("told"), text);
      expect(["busy", "idle", "unknown"]).toContain(await session.activity());
      expect(await session.stop()).toMatchObject(QUIET);
    }
  });

  test.each(["claude", "codex", "opencode"] as const)(
    "%s: if the session has moved to another directory",
    async (name) => {
      const session = await QuietWorld.with(name);
      expect(await session.prompt({ cwd: session.world.directory("other") })).toMatchObject({ isQuiet: false });
    },
  );

  test.each(["session-start", "session-end", "turn-broken", "subagent-start"] as const)("after a %s", async (event) => {
    const session = await QuietWorld.with("claude");
    await session.hook(event, { source: "resume", reason: "other" });
    expect(await session.stop()).toMatchObject({ isQuiet: false });
  });

  test.each(["claude", "codex"] as const)("%s: for a subagent, of which nothing is noted", async (name) => {
    const session = await QuietWorld.with(name);
    await session.stop();
    expect(await session.prompt({ agent_id: "agent-1" })).toMatchObject({ ...QUIET, isQuiet: false });
    expect(await session.activity()).toBe("idle");
  });

  test("codex: also at the end of a subagent's turn", async () => {
    const session = await QuietWorld.with("codex");
    expect(await session.stop({ agent_id: "agent-1" })).toMatchObject({ ...QUIET, isQuiet: false });
    expect(await session.activity()).toBe("busy");
  });

  test("on a shared store", async () => {
    const session = await QuietWorld.with("claude");
    session.world.install({ sharedStore: true });
    expect(await session.stop()).toMatchObject({ isQuiet: false });
    session.world.install();
    await session.prompt();
    expect(await session.stop()).toMatchObject(QUIET);
    const env = { CLAUDE_CODE_SESSION_ID: session.id, TT_STORE: "postgres://tt@127.0.0.1:1/tt" };
    session.world.starts();
    await session.harness.run(session.world.commandOf("claude", "stop"), "{}", env);
    expect(session.world.starts()).toBe(1);
  });

  test("once all servers of the session are gone", async () => {
    const session = await QuietWorld.with("claude");
    const [first = "", cwd = ""] = session.mark;
    const withServers = (pids: string) => writeFileSync(session.file("mark"), [first, cwd, pids, ""].join("\n"));
    withServers(`4194305 ${process.pid}`);
    expect(await session.stop()).toMatchObject(QUIET);
    withServers("4194305 4194306");
    expect(await session.stop()).toMatchObject({ isQuiet: false });
  });
});

describe.each(["claude", "codex", "opencode"] as const)("%s, which has names for turns", (name) => {
  test("given a flag that cannot be raised, the end of the turn looks by itself, as its sender is told", async () => {
    const session = await QuietWorld.with(name);
    const nowhere = join(session.world.data, "nowhere");
    symlinkSync(join(nowhere, "x"), join(session.world.data, "flags", session.id));
    const { stdout } = await session.world.done(`msg send ${name} hello --json`, PEER);
    expect(stdout).toContain(
      // That a session of OpenCode lives is known only from its tools.
      name === "opencode" ? '"will_be_seen":"unknown"' : '"will_be_seen":"turn_end"',
    );
    expect((await session.stop()).said).not.toBe("");
  });

  test("after mail was read, it is quiet again", async () => {
    const session = await QuietWorld.with(name);
    await session.world.done(`msg send ${name} hello`, PEER);
    expect((await session.prompt()).said).toContain("hello");
    expect(await session.stop({ last_assistant_message: "read" })).toMatchObject({ isQuiet: false });
    expect(await session.prompt()).toMatchObject(QUIET);
  });

  test("text that is typed into a turn that only the shell saw begin shows nothing: the mail comes at its end", async () => {
    const session = await QuietWorld.with(name);
    await session.stop();
    await session.prompt();
    const told = readFileSync(session.file("told"), "utf8");
    const field = name === "claude" ? "prompt_id" : "turn_id";
    const typed = { [field]: session.harness.turn };
    expect(await session.prompt(typed)).toMatchObject(QUIET);
    expect(readFileSync(session.file("told"), "utf8")).toBe(told);
    await session.world.done(`msg send ${name} hello`, PEER);
    expect(await session.prompt(typed)).toMatchObject({ ...QUIET, isQuiet: false });
    expect((await session.stop()).said).not.toBe("");
  });

  test("the next prompt shows mail, although no hook told that the turn was stopped", async () => {
    const session = await QuietWorld.with(name);
    await session.stop();
    expect(await session.prompt()).toMatchObject(QUIET);
    await session.world.done(`msg send ${name} hello`, PEER);
    expect(bodyIn((await session.prompt()).said)).toBe("hello");
  });
});

test("mail that comes while the end of a turn is noted goes on with the turn", async () => {
  const session = await QuietWorld.with("claude");
  await session.world.done("msg send claude hello", PEER);
  rmSync(join(session.world.data, "flags", session.id));
  const note = /^ *printf .* 1<>"\$told"/m;
  session.world.install({
    edit(text) {
      expect(text).toMatch(note);
      return text.replace(note, (line) => `: >"$data/flags/$id"\n${line}`);
    },
  });
  expect(bodyIn((await session.stop()).said)).toBe("hello");
  expect(await session.activity()).toBe("busy");
});

test("mail of a room in another project comes with the next prompt", async () => {
  const session = await QuietWorld.with("claude");
  const there = session.world.directory("there");
  const sender = { as: "peer:2", cwd: there };
  await session.world.done("join", sender);
  await session.tt(`join '${there}'`);
  await session.prompt();
  expect(await session.stop()).toMatchObject(QUIET);
  await session.world.done("msg send claude hello", sender);
  const shown = await session.prompt();
  expect(bodyIn(shown.said)).toBe("hello");
});

test("a sender is told the truth about a session whose shell noted what it does", async () => {
  const session = await QuietWorld.with("codex");
  const send = async () => {
    const { deliveries } = (await session.world.done("msg send codex hello --json", PEER)).json() as {
      readonly deliveries: readonly [{ readonly will_be_seen: string }];
    };
    rmSync(join(session.world.data, "flags", session.id));
    return deliveries[0].will_be_seen;
  };
  expect(await session.stop()).toMatchObject(QUIET);
  expect(await send()).toBe("unknown");
  expect(await session.prompt()).toMatchObject(QUIET);
  expect(await send()).toBe("next_tool_call");
});

function elsewhere(path: string): string {
  return `${path}.elsewhere`;
}
