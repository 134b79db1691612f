/**
 * Replies that a hook can give before a tool runs. Harnesses let the tool run after most replies that they do not
 * understand, so each is tried with the real program. The hook here is the test's own: it answers by the name of the file
 * that the tool is about to write.
 */
import { chmodSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { scriptMark } from "../../../../src/prove/rules/script.ts";
import type { RequestBody } from "../../../../src/prove/rules/wires/wire.ts";
import type { PromptOptions } from "../drivers/driver.ts";
import type { HarnessWorld } from "../harness-world.ts";
import type { HarnessName } from "../wires/index.ts";
import { GUARDED } from "./tools.ts";

const REASON = "The reason.";
const DENIED = { permissionDecision: "deny", permissionDecisionReason: REASON };
const PERMISSION = { hookSpecificOutput: { hookEventName: "PreToolUse", ...DENIED } };
const DECISION = { decision: "deny", reason: REASON };

interface Reply {
  readonly out?: string | object;
  readonly error?: string;
  readonly code?: number;
  readonly seconds?: number;
}

/** `own`: the reply that the harness documents; `bare`: the same without its reason. */
function replies(own: object, bare: object): Readonly<Record<string, Reply>> {
  return {
    "permission-decision": { out: PERMISSION },
    "decision-block": { out: { decision: "block", reason: REASON } },
    "decision-deny": { out: DECISION },
    "both-decisions": { out: { ...DECISION, ...PERMISSION } },
    "exit-two": { error: REASON, code: 2 },
    "exit-two-without-text": { code: 2 },
    "own-and-exit-two": { out: own, error: REASON, code: 2 },
    "own-and-exit-one": { out: own, code: 1 },
    "own-without-reason": { out: bare },
    "own-with-another-field": { out: { ...own, another: true } },
    "without-event-name": { out: { hookSpecificOutput: DENIED } },
    "own-after-a-text": { out: `A text.\n${JSON.stringify(own)}` },
    "own-too-late": { out: own, seconds: TOO_LATE_S },
    nothing: {},
  };
}

/** How long the harness waits. On a busy machine the other replies take a while, too. */
const TIMEOUT_S = 5;
const TOO_LATE_S = 8;

const USUAL = replies(PERMISSION, {
  hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny" },
});

function hooksOf(event: string, tool: string, command: string, timeout: number): object {
  return { hooks: { [event]: [{ matcher: `^${tool}$`, hooks: [{ type: "command", command, timeout }] }] } };
}

interface Replying {
  readonly names: readonly string[];
  /** Writes hook and settings, after those of a user who does not know us. */
  readonly setUp: (world: HarnessWorld) => PromptOptions;
}

export const REPLYING: Readonly<Record<HarnessName, Replying>> = {
  claude: {
    names: Object.keys(USUAL),
    setUp: (world) => ({
      flags: [
        "--settings",
        world.write("hooks.json", hooksOf("PreToolUse", "Bash", hookWith(world, USUAL), TIMEOUT_S)),
      ],
    }),
  },
  codex: {
    names: Object.keys(USUAL),
    setUp(world) {
      world.write("home/.codex/hooks.json", hooksOf("PreToolUse", "Bash", hookWith(world, USUAL), TIMEOUT_S));
      return GUARDED.codex.usual;
    },
  },
  gemini: {
    names: Object.keys(USUAL),
    setUp(world) {
      const hook = hookWith(world, replies(DECISION, { decision: "deny" }));
      const file = "home/.gemini/settings.json";
      const before = JSON.parse(readFileSync(join(world.root, file), "utf8")) as object;
      world.write(file, { ...before, ...hooksOf("BeforeTool", "run_shell_command", hook, 1000 * TIMEOUT_S) });
      return {};
    },
  },
  opencode: {
    names: ["throws-an-error", "throws-a-text", "throws-later", "returns-a-denial", "returns-false", "nothing"],
    setUp(world) {
      world.write("home/.config/opencode/plugin/replies.js", PLUGIN);
      return {};
    },
  },
};

/** A shell script that gives each reply for the file of its name. */
function hookWith(world: HarnessWorld, all: Readonly<Record<string, Reply>>): string {
  const cases = Object.entries(all).map(([name, { out = "", error = "", code = 0, seconds = 0 }]) => {
    const text = typeof out === "string" ? out : JSON.stringify(out);
    return `*/${name}.txt*) sleep ${seconds}; printf %s '${text}'; printf %s '${error}' >&2; exit ${code} ;;`;
  });
  const path = world.write("hook", `#!/bin/sh\ncase $(cat) in\n${cases.join("\n")}\nesac\n`);
  chmodSync(path, 0o700);
  return path;
}

const PLUGIN = `
const replies = {
  "throws-an-error": () => { throw new Error("${REASON}"); },
  "throws-a-text": () => { throw "${REASON}"; },
  "throws-later": async () => { await new Promise((resolve) => setTimeout(resolve, 10)); throw new Error("${REASON}"); },
  "returns-a-denial": () => ({ decision: "deny", deny: "${REASON}" }),
  "returns-false": () => false,
};
export const Replies = async () => ({
  "tool.execute.before": (_, { args }) => replies[/([a-z-]+)\\.txt/.exec(args.command)?.[1]]?.(),
});
`;

/** For each reply whether the tool ran, and what the model read if not. Then the tools that the harness offers. */
export async function tryReplies(world: HarnessWorld, name: HarnessName): Promise<string> {
  const { driver } = GUARDED[name];
  const { names, setUp } = REPLYING[name];
  driver.prepare(world);
  const options = setUp(world);
  const fileOf = (reply: string) => join(world.tree, `${reply}.txt`);
  world.script({ replies: names.map((reply) => driver.shell(`touch '${fileOf(reply)}'`)) });
  await driver.prompt(world, scriptMark("replies"), options);
  const answers = world.answers(name, "replies");
  const lines = names.map((reply, index) => {
    const told = (answers[index] ?? "nothing").replaceAll(world.tree, "TREE").replaceAll(world.root, "WORLD");
    return `${reply}: ${existsSync(fileOf(reply)) ? "open" : `denies, and the model reads: ${told}`}`;
  });
  const [first] = world.requests(name).filter(({ turns }) => turns.length > 0);
  return `${lines.join("\n")}\n\ntools: ${toolsIn(first?.body ?? {}).join(" ")}\n`;
}

/** Claude Code names some of its tools only in a text, until the model searches for them. */
const DEFERRED = /deferred tools are now available.*?before calling them:\\n((?:\w+\\n)+)/;

/** The names of the tools that a request offers. */
function toolsIn(body: RequestBody): readonly string[] {
  const tools = (body["tools"] ?? []) as readonly Offered[];
  const offered = tools.flatMap(({ type, name, function: called, functionDeclarations: declared }) =>
    declared ? declared.map((each) => each.name) : [called?.name ?? name ?? type ?? "?"],
  );
  const deferred = DEFERRED.exec(JSON.stringify(body))?.[1]?.split("\\n") ?? [];
  return [...offered, ...deferred].filter((name) => name !== "").toSorted();
}

interface Offered {
  readonly type?: string;
  readonly name?: string;
  readonly function?: { readonly name: string };
  readonly functionDeclarations?: readonly { readonly name: string }[];
}
