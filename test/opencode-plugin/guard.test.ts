/** The guard in OpenCode: the plugin asks before each tool that writes, and throws the refusal. */
import { describe, expect, it } from "vitest";
import { OpencodeHost } from "./opencode-host.ts";

const A = "ses_a";
const CHILD = "ses_child";
const WRITING = ["write", "edit", "apply_patch", "patch", "bash"];

/** Whether the script was asked about a tool. */
const asked = (host: OpencodeHost) => host.news.filter((what) => what.startsWith("guard "));

describe("with the guard", () => {
  it.each(WRITING)("%s is asked about, with the words that it was given", async (tool) => {
    const host = new OpencodeHost({ guard: true });
    expect(await host.tool(A, tool, { filePath: "x" })).toBeNull();
    expect(asked(host)).toEqual([`guard ${A}`]);
    expect(host.payloads.at(-1)).toMatchObject({
      cwd: "/home/ada/tree",
      tool_name: tool,
      tool_input: { filePath: "x" },
    });
  });

  it.each(WRITING)("%s does not run if it is refused, and the model reads why", async (tool) => {
    const host = new OpencodeHost({ guard: true });
    host.says["guard"] = { deny: "Refused: codex holds the stick." };
    expect(await host.tool(A, tool)).toBe("Refused: codex holds the stick.");
    expect(await host.tool(A, tool)).toBeNull();
  });

  it.each(["read", "grep", "task", "other_write", "talking-stick_wait_for_turn", "constructor"])(
    "%s is not asked about",
    async (tool) => {
      const host = new OpencodeHost({ guard: true });
      host.says["guard"] = { deny: "no" };
      expect(await host.tool(A, tool)).toBeNull();
      expect(asked(host)).toEqual([]);
    },
  );

  it("a subagent asks as the session that started it", async () => {
    const host = new OpencodeHost({ guard: true });
    host.parents.set(CHILD, A);
    host.says["guard"] = { deny: "no" };
    expect(await host.tool(CHILD, "write")).toBe("no");
    expect(asked(host)).toEqual([`guard ${A}`]);
  });

  it("a tool runs if the script says nothing, or something odd, or fails", async () => {
    const host = new OpencodeHost({ guard: true });
    host.silences = 1;
    expect(await host.tool(A, "write")).toBeNull();
    host.says["guard"] = { deny: "" };
    expect(await host.tool(A, "write")).toBeNull();
    host.meanwhile = () => Promise.reject(new Error("no processes left"));
    expect(await host.tool(A, "write")).toBeNull();
  });

  it("a tool of a session that OpenCode does not know runs", async () => {
    const host = new OpencodeHost({ guard: true });
    expect(await host.tool("unknown", "write")).toBeNull();
    expect(asked(host)).toEqual([]);
  });
});

it("without the guard nothing is asked", async () => {
  const host = new OpencodeHost();
  host.says["guard"] = { deny: "no" };
  for (const tool of WRITING) expect(await host.tool(A, tool)).toBeNull();
  expect(asked(host)).toEqual([]);
});
