/** One prompt to the real Codex without its terminal. */
import type { HarnessWorld } from "./harness-world.ts";
import type { Scripts } from "./script.ts";

interface Item {
  readonly type: string;
  readonly text?: string;
  readonly aggregated_output?: string;
  readonly result?: { readonly content: readonly { readonly text: string }[] } | null;
}

export interface CodexRun {
  readonly code: number | null;
  readonly threadId: string;
  /** What its tools answered, oldest first. */
  readonly answers: readonly string[];
}

const PROVIDER = '{name="Scripted",base_url="MODEL_URL/v1",wire_api="responses",env_key="SCRIPTED_KEY"}';

export async function runCodex(
  world: HarnessWorld,
  prompt: string,
  scripts: Scripts,
  hooks: object = {},
): Promise<CodexRun> {
  const { command, args, env } = world.server;
  world.write("codex-home/.codex/hooks.json", { hooks });
  world.write(
    "codex-home/.codex/config.toml",
    [
      'model = "scripted-model"',
      'model_provider = "scripted"',
      "check_for_update_on_startup = false",
      "[features]\nplugins = false",
      "[analytics]\nenabled = false",
      `[sandbox_workspace_write]\nwritable_roots = [${JSON.stringify(world.data)}]`,
      `[mcp_servers.talking-stick]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}`,
      `[mcp_servers.talking-stick.env]\nTT_DATA_DIR = ${JSON.stringify(env.TT_DATA_DIR)}`,
    ].join("\n"),
  );
  const flags = ["--json", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", "-s", "workspace-write"];
  const words = ["exec", ...flags, "-c", `model_providers.scripted=${PROVIDER}`, prompt];
  const child = world.run("codex", words, scripts, { SCRIPTED_KEY: "scripted" });
  child.stdin.end();
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  const code = await new Promise<number | null>((resolve) => {
    child.once("close", resolve);
  });
  if (code !== 0) throw new Error(`Codex ended with ${code}: ${output}${errors}`);
  return { code, ...read(output) };
}

function read(output: string): Omit<CodexRun, "code"> {
  const lines = output
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as { type: string; thread_id?: string; item?: Item });
  const done = lines.flatMap(({ type, item }) => (type === "item.completed" && item ? [item] : []));
  return {
    threadId: lines.find(({ type }) => type === "thread.started")?.thread_id ?? "",
    answers: done
      .filter(({ type }) => type === "mcp_tool_call" || type === "command_execution")
      .map(({ aggregated_output: shell, result }) => shell ?? result?.content[0]?.text ?? ""),
  };
}
