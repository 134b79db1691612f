/**
 * Who is calling, found out by real processes. The harnesses are scripts of their names that start shells; the
 * program under test runs as their child, grandchild and so on, with an environment made for the case.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isRefusal } from "../../../src/core/refusal.ts";
import type { Identification, Identity } from "../../../src/session/rules/identity.ts";
import { type Bundle, bundleFixture } from "../../support/fixture.ts";
import { idOf } from "../../support/session-clues.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const onLinux = process.platform === "linux";
let bundle: Bundle;

beforeAll(async () => {
  bundle = await bundleFixture("test/platform/fixtures/who-am-i.ts");
});
afterAll(() => bundle.remove());

/** A shell three levels below; the extra command keeps each of them from becoming its own child. */
const DEEP = `sh -c 'sh -c "sh -c \\"$WHO; true\\"; true"; true'`;

class Harness {
  readonly root = temporaryDirectory();
  readonly dataDir = join(this.root, "data");
  readonly path: string;

  /** `script` runs in the harness's own process. */
  constructor(name: string, script: string) {
    mkdirSync(this.dataDir, { mode: 0o700 });
    this.path = join(this.root, name);
    writeFileSync(this.path, `#!/bin/sh\n${script}\nexit 0\n`);
    chmodSync(this.path, 0o755);
  }

  run(env: Record<string, string> = {}, args: readonly string[] = []): Identification[] {
    const { stdout, stderr } = spawnSync(this.path, args, {
      encoding: "utf8",
      env: {
        PATH: process.env["PATH"] ?? "",
        HOME: this.root,
        TT_DATA_DIR: this.dataDir,
        WHO: `${process.execPath} ${bundle.file}`,
        ...env,
      },
    });
    if (stderr !== "") throw new Error(stderr);
    return stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
  }

  /** The codes of refusals; "identified" for everything else. */
  codes(env: Record<string, string> = {}, args: readonly string[] = []): string[] {
    return this.run(env, args).map(({ identity }) => (isRefusal(identity) ? identity.error : "identified"));
  }

  identities(env: Record<string, string> = {}, args: readonly string[] = []): Identity[] {
    return this.run(env, args).map(({ identity }) => {
      if (isRefusal(identity)) throw new Error(identity.message);
      return identity;
    });
  }
}

describe.skipIf(!onLinux)("one session is one identity", () => {
  it.each(["claude", "codex", "gemini"])(
    "%s: the same from a direct child and from a shell three levels deep",
    (name) => {
      const harness = new Harness(name, `$WHO\n${DEEP}`);
      const [direct, deep] = harness.identities();
      expect(direct).toMatchObject({ harness: name, idSource: "ancestry", verified: false });
      expect(direct?.agentId).toMatch(new RegExp(`^${name}:[0-9a-f]{8}$`));
      expect(deep).toEqual(direct);
    },
  );

  it("and another one in a second session of the same harness", () => {
    const harness = new Harness("claude", "$WHO");
    const [first] = harness.identities();
    const [second] = harness.identities();
    expect(first?.agentId).not.toBe(second?.agentId);
  });

  it("by the session id in the environment, wherever the process stands", () => {
    const harness = new Harness("claude", `$WHO\n${DEEP}\nnohup sh -c '$WHO; true' 2>/dev/null`);
    const seen = harness.identities({ CLAUDECODE: "1", CLAUDE_CODE_SESSION_ID: "abc-1" });
    expect(new Set(seen.map(({ agentId }) => agentId))).toEqual(new Set([idOf("claude", "abc-1")]));
    expect(new Set(seen.map(({ formerId }) => formerId)).size).toBe(1);
  });

  it("by Claude Code's own file about its process", () => {
    const script = `mkdir -p "$HOME/.claude/sessions"
      echo "{\\"pid\\":$$,\\"sessionId\\":\\"abc-1\\"}" > "$HOME/.claude/sessions/$$.json"
      ${DEEP}`;
    const [seen] = new Harness("claude", script).identities();
    expect(seen).toMatchObject({ agentId: idOf("claude", "abc-1"), idSource: "session_file", verified: true });
  });
});

describe.skipIf(!onLinux)("what is written down about a process", () => {
  it.each([
    ["card", "session_card"],
    ["claim", "sticky_claim"],
  ])("by a %s turns the provisional name into the verified one, which remembers it", (order, idSource) => {
    const harness = new Harness("gemini", `$WHO ${order} g-1\n${DEEP}`);
    const [before, after] = harness.identities({ GEMINI_CLI: "1" });
    expect(before).toMatchObject({ idSource: "ancestry" });
    expect(after).toMatchObject({ agentId: idOf("gemini", "g-1"), idSource, formerId: before?.agentId });
  });

  it("is not known to another process of the same harness", () => {
    const harness = new Harness("gemini", "$WHO claim g-1");
    harness.run();
    expect(harness.identities()[0]).toMatchObject({ idSource: "ancestry" });
  });

  it("by a claim stays until the next claim", () => {
    const harness = new Harness("gemini", "$WHO claim g-1\n$WHO\n$WHO claim g-2\n$WHO\n$WHO");
    const sessions = harness.identities().map(({ sessionId }) => sessionId);
    expect(sessions).toEqual([null, "g-1", "g-1", "g-2", "g-2"]);
  });

  it("is never believed of a process that serves many sessions", () => {
    const harness = new Harness("codex", "$WHO card x\n$WHO claim x\n$WHO");
    expect(new Set(harness.codes({}, ["app-server"]))).toEqual(new Set(["agent_id_required"]));
  });
});

describe.skipIf(!onLinux)("nested harnesses", () => {
  it("the nearest one above counts, whatever the environment says", () => {
    const inner = new Harness("codex", "$WHO");
    const outer = new Harness("claude", `sh -c '${inner.path}; true'`);
    const [seen] = outer.identities({ CLAUDECODE: "1", CLAUDE_CODE_SESSION_ID: "abc-1" });
    expect(seen).toMatchObject({ harness: "codex", idSource: "ancestry" });
  });

  it("in a sandbox with process numbers of its own nothing above is seen, and two ids are no evidence", ({ skip }) => {
    const sandbox = ["-rpf", "--mount-proc", "--kill-child"];
    if (spawnSync("unshare", [...sandbox, "true"]).status !== 0) skip("this machine allows no pid namespaces");
    const harness = new Harness("claude", `unshare ${sandbox.join(" ")} sh -c '$WHO; true'`);
    const claude = { CLAUDECODE: "1", CLAUDE_CODE_SESSION_ID: "abc-1", TT_TEST_TTY: "1" };
    expect(harness.identities(claude)[0]).toMatchObject({ agentId: idOf("claude", "abc-1"), process: null });
    expect(harness.codes({ ...claude, CODEX_SESSION_ID: "def-2" })).toEqual(["agent_id_required"]);
  });
});

describe("a given name", () => {
  it("that is another session's is refused inside a session", () => {
    const harness = new Harness("claude", "$WHO");
    const [name, env] = ["codex:1", { TT_TEST_SESSION: "codex:1" }];
    const inside = { CLAUDECODE: "1", CLAUDE_CODE_SESSION_ID: "abc-1" };
    expect(harness.codes({ ...env, ...inside, TT_HARNESS_AGENT_ID: name })).toEqual(["not_authorized"]);
    expect(harness.codes({ ...env, TT_AGENT_ID: name })).toEqual(["not_authorized"]);
  });

  it.each(["codex:1", "human:root", "me:new"])("such as %s that lies about in a session names nobody", (name) => {
    const harness = new Harness("claude", "$WHO");
    const inside = { CLAUDECODE: "1", CLAUDE_CODE_SESSION_ID: "abc-1" };
    const own = { agentId: idOf("claude", "abc-1"), idSource: "environment" };
    expect(harness.run({ ...inside, TT_HARNESS_AGENT_ID: name })).toMatchObject([{ identity: own }]);
    expect(harness.run({ ...inside, TT_AGENT_ID: name })).toMatchObject([{ identity: own }]);
  });

  it("that the session itself has is fine inside it", () => {
    const env = { CLAUDECODE: "1", CLAUDE_CODE_SESSION_ID: "abc-1", TT_AGENT_ID: idOf("claude", "abc-1") };
    expect(new Harness("claude", "$WHO").codes(env)).toEqual(["identified"]);
  });

  it("that is no name is refused by its source", () => {
    const [seen] = new Harness("claude", "$WHO").run({ TT_AGENT_ID: "a b" });
    expect(seen?.identity).toMatchObject({ error: "invalid_input", facts: { field: "TT_AGENT_ID" } });
  });

  it.each(["abc", "-1", "0", "1.5", "99999999999"])("with TT_AGENT_PID=%s is refused: that is no process", (pid) => {
    const [seen] = new Harness("sh", "$WHO").run({ TT_AGENT_ID: "script:1", TT_AGENT_PID: pid });
    expect(seen?.identity).toMatchObject({ error: "invalid_input", facts: { field: "TT_AGENT_PID" } });
  });

  it("with the number of a process that is gone is refused, as long as no session is detected", () => {
    const gone = { TT_AGENT_PID: String(spawnSync("true").pid) };
    const named = { ...gone, TT_AGENT_ID: "script:1" };
    const [seen] = new Harness("sh", "$WHO").run(named);
    expect(seen?.identity).toMatchObject({
      error: "invalid_input",
      message: `TT_AGENT_PID is ${gone.TT_AGENT_PID}, but no such process can be seen here.`,
      facts: { field: "TT_AGENT_PID" },
    });
    expect(new Harness("sh", "$WHO").codes({ ...gone, TT_TEST_TTY: "1" })).toEqual(["invalid_input"]);
    expect(new Harness("claude", "$WHO").codes(gone)).toEqual(["identified"]);
    expect(new Harness("sh", "$WHO").codes({ ...named, TT_AGENT_PID: String(process.pid) })).toEqual(["identified"]);
  });
});

describe("the trace", () => {
  it("gets one line per detection", () => {
    const harness = new Harness("claude", "$WHO\n$WHO");
    const file = join(harness.root, "trace");
    harness.run({ CLAUDECODE: "1", CLAUDE_CODE_SESSION_ID: "abc-1", TT_TRACE_FILE: file });
    const records = readFileSync(file, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(records).toHaveLength(2);
    expect(records[0]).toMatchObject({
      kind: "detection",
      identity: { agent_id: idOf("claude", "abc-1"), id_source: "environment" },
    });
  });

  it("that cannot be written stops nothing, and nothing else is written", () => {
    const harness = new Harness("claude", "$WHO");
    expect(harness.run({ TT_TRACE_FILE: join(harness.root, "none", "trace") })).toHaveLength(1);
    expect(existsSync(join(harness.dataDir, "agents"))).toBe(false);
  });
});
