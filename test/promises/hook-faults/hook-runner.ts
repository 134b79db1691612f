/** Runs a hook as a harness does, and judges what came of it. */
import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hookScript } from "../../../src/harness/hook-script.ts";
import { HOOK_EVENTS, type HookEvent } from "../../../src/hooks/rules/hook.ts";
import type { SeededRandom } from "../../support/random.ts";

export const HOOK_HARNESSES = ["claude", "codex", "gemini", "opencode"] as const;
export type HookHarness = (typeof HOOK_HARNESSES)[number];

export interface Installed {
  readonly node: string;
  readonly hookProgram: string;
  readonly dataDir: string;
  readonly variables?: Readonly<Record<string, string>>;
}

/** Writes the script somewhere and returns the line that a configuration would have. */
export function installHook(directory: string, installed: Installed): (harness: string, event: string) => string {
  mkdirSync(directory, { recursive: true });
  const path = join(directory, "tt-hook");
  writeFileSync(path, hookScript({ version: "0.0.0", ...installed }));
  chmodSync(path, 0o700);
  return (harness, event) => `test ! -x '${path}' || exec '${path}' ${harness} ${event}`;
}

export interface HookJob {
  readonly command: string;
  readonly input: string | Buffer;
  /** The end of the input does not come. */
  readonly inputStaysOpen?: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** A program that starts the rest of its line. */
  readonly through?: readonly string[];
}

export interface HookResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Far more than a hook takes on any machine. */
const HANGS_MS = 60_000;

export async function runJob({ command, input, inputStaysOpen, env, cwd, through = [] }: HookJob): Promise<HookResult> {
  const [program, ...words] = [...through, "/bin/sh", "-c", command];
  const child = spawn(program, words, { cwd, env: { PATH: process.env["PATH"], ...env } });
  const said = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => {
      said[name] += text;
    });
  }
  // It need not read all of it.
  child.stdin.on("error", () => undefined);
  child.stdin.write(input);
  if (!inputStaysOpen) child.stdin.end();
  const code = await new Promise<number | null>((resolve, reject) => {
    const limit = setTimeout(() => reject(new Error(`it hangs: ${command}`)), HANGS_MS);
    child.once("close", (ended) => {
      clearTimeout(limit);
      resolve(ended);
    });
  });
  return { code, ...said };
}

export function randomHook(random: SeededRandom): { readonly harness: HookHarness; readonly event: HookEvent } {
  return { harness: random.pick(HOOK_HARNESSES), event: random.pick(HOOK_EVENTS) };
}

const NAMES: Readonly<Record<HookHarness, Readonly<Partial<Record<HookEvent, string>>>>> = {
  claude: {
    "session-start": "SessionStart",
    prompt: "UserPromptSubmit",
    "post-tool": "PostToolBatch",
    // It goes on for what is added there; a decision would be an error to its user.
    stop: "Stop",
  },
  codex: {
    "session-start": "SessionStart",
    prompt: "UserPromptSubmit",
    "pre-tool": "PreToolUse",
  },
  gemini: {
    "session-start": "SessionStart",
    prompt: "BeforeAgent",
    "post-tool": "AfterTool",
    "subagent-end": "AfterTool",
  },
  // Its plugin speaks our own words.
  opencode: {},
};

/** What is wrong with what a hook printed; null when its harness understands it and nothing is stopped by it. */
export function problemWithOutput(harness: HookHarness, event: HookEvent, stdout: string): string | null {
  if (stdout === "") return null;
  let answer: Record<string, unknown>;
  try {
    answer = JSON.parse(stdout) as Record<string, unknown>;
  } catch {
    return "it is no JSON";
  }
  if (harness === "opencode") return problemForPlugin(event, answer);
  if (event === "stop" && harness !== "claude") {
    const isRight = answer["decision"] === (harness === "gemini" ? "deny" : "block");
    return isRight && typeof answer["reason"] === "string" && answer["reason"] !== "" ? null : "it stops nothing right";
  }
  if (Object.keys(answer).join() !== "hookSpecificOutput") return "it says more than it may";
  const { hookEventName, additionalContext, ...rest } = answer["hookSpecificOutput"] as Record<string, unknown>;
  if (Object.keys(rest).length > 0) return "it decides something";
  if (hookEventName !== NAMES[harness][event]) return "it names another event";
  return typeof additionalContext === "string" && additionalContext !== "" ? null : "it adds nothing";
}

function problemForPlugin(event: HookEvent, answer: Record<string, unknown>): string | null {
  const isAtRest = event === "stop" || event === "wake";
  const { [isAtRest ? "go_on" : "context"]: words, ...rest } = answer;
  if (Object.keys(rest).length > 0) return "it says more than it may";
  // A process that asks whether to wake gets its no as an answer without words.
  if (event === "wake" && words === undefined) return null;
  return typeof words === "string" && words !== "" ? null : "it adds nothing";
}

/** What is wrong with how the guard ended; null if it let the tool pass silently, or refused it in the right form. */
export function problemWithGuard(harness: HookHarness, { code, stdout, stderr }: HookResult): string | null {
  if (code === 0) return stdout === "" && stderr === "" ? null : "it lets the tool pass and says something";
  if (code !== 2) return `it ended with ${code}`;
  const reason = stderr.replace(/\n$/, "");
  if (reason === "" || reason.includes("\n")) return "its reason is not one line";
  const right = `${JSON.stringify(DENIALS[harness](reason))}\n`;
  // A closed output takes nothing; the code and the reason are enough.
  return stdout === "" || stdout === right ? null : "it refuses in a form that the harness does not understand";
}

const DENIALS: Readonly<Record<HookHarness, (reason: string) => object>> = {
  claude: usualDenial,
  codex: usualDenial,
  gemini: (reason) => ({ decision: "deny", reason }),
  opencode: (reason) => ({ deny: reason }),
};

function usualDenial(reason: string): object {
  const denied = { permissionDecision: "deny", permissionDecisionReason: reason };
  return { hookSpecificOutput: { hookEventName: "PreToolUse", ...denied } };
}
