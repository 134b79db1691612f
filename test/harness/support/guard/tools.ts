/** The tools with which each harness writes, as its model calls them. */
import { claude } from "../drivers/claude.ts";
import { codex } from "../drivers/codex.ts";
import type { Driver } from "../drivers/driver.ts";
import { gemini } from "../drivers/gemini.ts";
import { opencode } from "../drivers/opencode.ts";
import type { Step } from "../script.ts";
import type { HarnessName } from "../wires/index.ts";
import type { Outcome } from "./phases.ts";

/** What a tool puts into a file. */
export const WRITTEN = "written by a tool";
/** What stands in a file before. */
export const BEFORE = "before";

export interface WritingTool {
  readonly name: string;
  readonly kind: "edit" | "shell";
  /** The file's name, for tools that care. */
  readonly extension?: string;
  /** The file before the tool writes; without it, the tool creates the file. */
  readonly before?: string;
  /** A step that writes, and those without which it does not work. If it is refused, the last answer says so. */
  readonly steps: (path: string, expected: Outcome) => readonly Step[];
}

/** Another set of permissions, or another model with its own tools. */
export interface PermissionMode {
  readonly name: string;
  readonly flags: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The harness itself lets no tool write. */
  readonly readsOnly?: true;
  readonly tools?: readonly WritingTool[];
}

export interface GuardedHarness {
  readonly driver: Driver;
  readonly tools: readonly WritingTool[];
  /** It reads a file with a tool of the harness. */
  readonly read: (path: string) => Step;
  readonly usual: PermissionMode;
  readonly others: readonly PermissionMode[];
  /** Files of the world, for a long session of one prompt. */
  readonly files?: Readonly<Record<string, object>>;
  /** The tool that starts a subagent, and how that must end. */
  readonly subagent: { readonly start: (prompt: string) => Step; readonly end: readonly Step[] };
}

const NOTEBOOK = JSON.stringify({
  cells: [{ cell_type: "code", id: "first", source: [BEFORE], metadata: {}, outputs: [], execution_count: null }],
  metadata: {},
  nbformat: 4,
  nbformat_minor: 5,
});

function plainShell({ shell }: Driver, name: string): WritingTool {
  return { name, kind: "shell", steps: (path) => [shell(echoed(path))] };
}

function echoed(path: string): string {
  return `echo '${WRITTEN}' > '${path}'`;
}

function added(path: string): string {
  return `*** Begin Patch\n*** Add File: ${path}\n+${WRITTEN}\n*** End Patch\n`;
}

const readInClaude = (path: string): Step => ({ tool: "Read", input: { file_path: path } });

const CLAUDE: GuardedHarness = {
  driver: claude,
  tools: [
    { name: "Write", kind: "edit", steps: (path) => [{ tool: "Write", input: { file_path: path, content: WRITTEN } }] },
    {
      name: "Edit",
      kind: "edit",
      before: BEFORE,
      steps: (path) => [
        readInClaude(path),
        { tool: "Edit", input: { file_path: path, old_string: BEFORE, new_string: WRITTEN } },
      ],
    },
    {
      name: "NotebookEdit",
      kind: "edit",
      extension: "ipynb",
      before: NOTEBOOK,
      steps: (path) => [
        readInClaude(path),
        { tool: "NotebookEdit", input: { notebook_path: path, cell_id: "first", new_source: WRITTEN } },
      ],
    },
    plainShell(claude, "Bash"),
    {
      name: "Monitor",
      kind: "shell",
      steps: (path, expected) => [
        { tool: "Monitor", input: { command: echoed(path), description: "a watch", timeout_ms: 60_000 } },
        // The command runs beside the session.
        ...(expected === "written" ? [claude.shell(`until [ -s '${path}' ]; do sleep 0.05; done`)] : []),
      ],
    },
  ],
  read: readInClaude,
  usual: {
    name: "default",
    flags: ["--permission-mode", "default", "--allowedTools", "Write,Edit,NotebookEdit,Bash,Monitor"],
  },
  others: [
    { name: "acceptEdits", flags: ["--permission-mode", "acceptEdits", "--allowedTools", "Monitor"] },
    { name: "bypassPermissions", flags: ["--permission-mode", "bypassPermissions"], env: { IS_SANDBOX: "1" } },
    { name: "plan", flags: ["--permission-mode", "plan"], readsOnly: true },
  ],
  subagent: {
    start: (prompt) => ({ tool: "Agent", input: { description: "a task", prompt, subagent_type: "general-purpose" } }),
    end: [],
  },
};

/** Codex offers its tool for patches to models that it knows. */
const PATCHING = ["-m", "gpt-5.5"];

function scripted(tool: string, input: unknown): Step {
  return { tool: "exec", input: `text(await tools.${tool}(${JSON.stringify(input)}))` };
}

const CODEX: GuardedHarness = {
  driver: codex,
  tools: [
    { name: "apply_patch", kind: "edit", steps: (path) => [{ tool: "apply_patch", input: added(path) }] },
    plainShell(codex, "exec_command"),
    {
      name: "apply_patch in a shell",
      kind: "shell",
      steps: (path) => [codex.shell(`apply_patch <<'END'\n${added(path)}END`)],
    },
  ],
  read: (path) => codex.shell(`head -n 5 '${path}'`),
  usual: { name: "workspace-write", flags: [...PATCHING, "-s", "workspace-write"] },
  others: [
    { name: "danger-full-access", flags: [...PATCHING, "-s", "danger-full-access"] },
    {
      name: "workspace-write with tools that a script of the model calls",
      flags: [...PATCHING, "-s", "workspace-write", "--enable", "code_mode"],
      tools: [
        { name: "apply_patch", kind: "edit", steps: (path) => [scripted("apply_patch", added(path))] },
        { name: "exec_command", kind: "shell", steps: (path) => [scripted("exec_command", { cmd: echoed(path) })] },
      ],
    },
  ],
  subagent: {
    start: (message) => ({ tool: "spawn_agent", namespace: "multi_agent_v1", input: { message } }),
    end: [],
  },
};

const GEMINI: GuardedHarness = {
  driver: gemini,
  tools: [
    {
      name: "write_file",
      kind: "edit",
      steps: (path) => [{ tool: "write_file", input: { file_path: path, content: WRITTEN } }],
    },
    {
      name: "replace",
      kind: "edit",
      before: BEFORE,
      steps: (path) => [
        {
          tool: "replace",
          input: { file_path: path, instruction: "write", old_string: BEFORE, new_string: WRITTEN },
        },
      ],
    },
    plainShell(gemini, "run_shell_command"),
  ],
  read: (path) => ({ tool: "read_file", input: { file_path: path } }),
  usual: { name: "yolo", flags: ["--approval-mode", "yolo"] },
  others: [{ name: "auto_edit", flags: ["--approval-mode", "auto_edit", "--allowed-tools", "run_shell_command"] }],
  // After some thirty requests it would ask its model whether it runs in circles, again and again.
  files: { "tree/.gemini/settings.json": { model: { disableLoopDetection: true } } },
  subagent: {
    start: (prompt) => ({ tool: "invoke_agent", input: { agent_name: "generalist", prompt } }),
    end: [{ tool: "complete_task", input: { result: { response: "done" } } }],
  },
};

const readInOpencode = (path: string): Step => ({ tool: "read", input: { filePath: path } });

const OPENCODE: GuardedHarness = {
  driver: opencode,
  tools: [
    { name: "write", kind: "edit", steps: (path) => [{ tool: "write", input: { filePath: path, content: WRITTEN } }] },
    {
      name: "edit",
      kind: "edit",
      before: BEFORE,
      steps: (path) => [
        readInOpencode(path),
        { tool: "edit", input: { filePath: path, oldString: BEFORE, newString: WRITTEN } },
      ],
    },
    plainShell(opencode, "bash"),
  ],
  read: readInOpencode,
  usual: { name: "its default", flags: [] },
  others: [
    {
      name: "its default with a model that edits by patches",
      flags: ["--model", "scripted/gpt-5"],
      tools: [
        {
          name: "apply_patch",
          kind: "edit",
          steps: (path) => [{ tool: "apply_patch", input: { patchText: added(path) } }],
        },
        plainShell(opencode, "bash"),
      ],
    },
  ],
  subagent: {
    start: (prompt) => ({ tool: "task", input: { description: "a task", prompt, subagent_type: "general" } }),
    end: [],
  },
};

export const GUARDED: Readonly<Record<HarnessName, GuardedHarness>> = {
  claude: CLAUDE,
  codex: CODEX,
  gemini: GEMINI,
  opencode: OPENCODE,
};
