/** What our plugin in OpenCode does for its sessions. How it fares in the real one is in test/harness. */
import { describe, expect, it, test } from "vitest";
import { OpencodeHost } from "./opencode-host.ts";

const A = "ses_a";
const CHILD = "ses_child";

/** A session that has had one turn and rests. */
async function resting(): Promise<OpencodeHost> {
  const host = new OpencodeHost();
  await host.prompt(A);
  await host.rest(A);
  return host;
}

/** OpenCode has a whole answer to a prompt. */
async function answered(host: OpencodeHost, parentID: string): Promise<void> {
  const info = { id: "msg_9", sessionID: A, role: "assistant", parentID, time: { created: 1, completed: 2 } };
  await host.event("message.updated", { info });
}

describe("a prompt", () => {
  it("brings the brief the first time, and what waits every time", async () => {
    const host = new OpencodeHost();
    Object.assign(host.says, { "session-start": { context: "brief" }, prompt: { context: "mail" } });
    expect(await host.prompt(A)).toEqual(["brief\n\nmail"]);
    expect(host.news).toEqual([`session-start ${A}`, `prompt ${A}`]);
    expect(host.payloads[0]).toEqual({
      cwd: "/home/ada/tree",
      waker_pid: 4711,
      turn_id: expect.any(String),
      source: "startup",
    });
    host.says["prompt"] = { context: "more mail" };
    expect(await host.prompt(A)).toEqual(["more mail"]);
    expect(host.news).toEqual([`prompt ${A}`]);
    expect(await host.prompt(A)).toEqual([]);
  });

  it("brings the brief again, once, after the session was compacted", async () => {
    const host = await resting();
    host.done.splice(0);
    Object.assign(host.says, { "session-start": { context: "brief" } });
    await host.event("session.compacted", { sessionID: A });
    // At once: what was shown before is in no later request.
    expect(host.news).toEqual([`session-start ${A}`]);
    expect(host.payloads.at(-1)).toMatchObject({ source: "compact" });
    expect(await host.prompt(A)).toEqual(["brief"]);
    expect(host.news).toEqual([`prompt ${A}`]);
    expect(await host.prompt(A)).toEqual([]);
    expect(host.news).toEqual([`prompt ${A}`]);
  });

  it("of a subagent brings nothing and begins no session", async () => {
    const host = new OpencodeHost();
    host.parents.set(CHILD, A);
    expect(await host.prompt(CHILD)).toEqual([]);
    await host.rest(CHILD);
    expect(host.news).toEqual([]);
  });
});

describe("the end of a turn", () => {
  it("begins another one for what waits, as its user has chosen, and only once", async () => {
    const host = new OpencodeHost();
    await host.prompt(A, { agent: "plan" });
    host.says["stop"] = { go_on: "you have mail" };
    await host.rest(A);
    expect(host.news.slice(2)).toEqual([`stop ${A}`, `prompt ${A} {"agent":"plan"} you have mail`]);
    expect(host.payloads.at(-1)).toMatchObject({ stop_hook_active: false });
    await host.prompt(A);
    await host.rest(A);
    expect(host.payloads.at(-1)).toMatchObject({ stop_hook_active: true });
    await host.prompt(A);
    await host.rest(A);
    expect(host.payloads.at(-1)).toMatchObject({ stop_hook_active: false });
  });

  it("that its user wanted is left as it is", async () => {
    const host = new OpencodeHost();
    await host.prompt(A);
    host.flags.add(A);
    await host.event("session.error", { sessionID: A, error: { name: "MessageAbortedError" } });
    await host.rest(A);
    expect(host.news.slice(2)).toEqual([`turn-broken ${A}`]);
  });

  it("that its user stopped is said twice, and the second time may come after the next prompt", async () => {
    const host = new OpencodeHost();
    await host.prompt(A);
    await host.event("session.error", { sessionID: A, error: { name: "MessageAbortedError" } });
    await host.rest(A);
    await host.prompt(A, { agent: "plan" }, "msg_2");
    host.done.splice(0);
    await answered(host, "msg_1");
    await host.rest(A);
    expect(host.news).toEqual([]);
    await answered(host, "msg_2");
    await host.rest(A);
    expect(host.news).toEqual([`stop ${A}`]);
  });

  it("counts after a tool, and at the latest the third time", async () => {
    const host = new OpencodeHost();
    for (const isTold of [true, false]) {
      await host.prompt(A, { agent: "plan" }, `msg_${isTold}`);
      await host.event("session.error", { sessionID: A, error: { name: "MessageAbortedError" } });
      await host.prompt(A, { agent: "plan" }, `msg_${isTold}_2`);
      host.done.splice(0);
      if (isTold) await host.plugin["tool.execute.before"]({ tool: "bash", sessionID: A }, { args: {} });
      else for (const _ of [1, 2]) await host.rest(A);
      await host.rest(A);
      expect(host.news).toEqual([...(isTold ? [`pre-tool ${A}`] : []), `stop ${A}`]);
    }
  });

  it("is the time to look at a flag that came too late for the turn", async () => {
    const host = new OpencodeHost();
    await host.prompt(A);
    await host.raise(A);
    expect(host.news.slice(2)).toEqual([]);
    host.says["wake"] = { go_on: "wake up" };
    await host.rest(A);
    expect(host.news).toEqual([`stop ${A}`, `wake ${A}`, `prompt ${A} {"agent":"plan"} wake up`]);
  });

  it("goes on for a message that comes meanwhile, or is followed by a wake, but not both", async () => {
    for (const goesOn of [true, false]) {
      const host = new OpencodeHost();
      await host.prompt(A);
      host.done.splice(0);
      host.says["wake"] = { go_on: "wake up" };
      host.meanwhile = async () => {
        host.meanwhile = async () => undefined;
        if (goesOn) host.says["stop"] = { go_on: "go on" };
        await host.raise(A);
      };
      await host.rest(A);
      const woken = [`wake ${A}`, `prompt ${A} {"agent":"plan"} wake up`];
      expect(host.news).toEqual([`stop ${A}`, ...(goesOn ? [`prompt ${A} {"agent":"plan"} go on`] : woken)]);
    }
  });

  it("is told once, however often OpenCode says it", async () => {
    const host = await resting();
    await host.rest(A);
    expect(host.news.filter((line) => line.startsWith("stop"))).toEqual([`stop ${A}`]);
  });
});

describe("a flag", () => {
  it("wakes an idle session, and two at a time wake it once", async () => {
    const host = await resting();
    host.done.splice(0);
    host.says["wake"] = { go_on: "wake up" };
    await Promise.all([host.raise(A), host.raise(A)]);
    expect(host.news).toEqual([`wake ${A}`, `prompt ${A} {"agent":"plan"} wake up`]);
  });

  it("that says nothing asks no model", async () => {
    const host = await resting();
    host.done.splice(0);
    await host.raise(A);
    expect(host.news).toEqual([`wake ${A}`]);
  });

  it("that comes while the script looks is looked at, too", async () => {
    const host = await resting();
    host.done.splice(0);
    host.meanwhile = async () => {
      host.meanwhile = async () => {
        host.meanwhile = async () => undefined;
        host.says["wake"] = { go_on: "wake up" };
      };
      await host.raise(A);
    };
    await host.raise(A);
    expect(host.news).toEqual([`wake ${A}`, `wake ${A}`, `prompt ${A} {"agent":"plan"} wake up`]);
    await host.raise(A);
    expect(host.news).toEqual([`wake ${A}`]);
  });

  it("is looked at again after a look that was cut off, also when the next one says nothing", async () => {
    const host = await resting();
    host.done.splice(0);
    host.silences = 1;
    await host.raise(A);
    const look = `wake ${A}`;
    expect(host.news).toEqual([look, "pause", look, "pause", look, "pause", look]);
  });

  it("is looked at again when the machine was too busy to answer, but not without end", async () => {
    const host = await resting();
    host.done.splice(0);
    host.silences = 2;
    host.says["wake"] = { go_on: "wake up" };
    await host.raise(A);
    const asked = [`wake ${A}`, "pause", `wake ${A}`, "pause", `wake ${A}`];
    expect(host.news).toEqual([...asked, `prompt ${A} {"agent":"plan"} wake up`]);
    host.silences = 9;
    await host.raise(A);
    expect(host.news).toEqual([...asked, "pause", `wake ${A}`]);
  });

  it("of a session that nobody has used here belongs to another process", async () => {
    const host = await resting();
    host.done.splice(0);
    await host.raise("ses_elsewhere");
    expect(host.news).toEqual([]);
  });

  it("gives way to a user who is faster", async () => {
    const host = await resting();
    host.done.splice(0);
    host.says["wake"] = { go_on: "wake up" };
    host.meanwhile = async () => {
      host.meanwhile = async () => undefined;
      await host.prompt(A);
    };
    await host.raise(A);
    expect(host.news).toEqual([`wake ${A}`, `prompt ${A}`]);
  });

  it("can be tried again after a prompt that OpenCode did not take", async () => {
    const host = await resting();
    host.done.splice(0);
    host.takesPrompts = false;
    host.says["wake"] = { go_on: "wake up" };
    await host.raise(A);
    await host.raise(A);
    expect(host.news).toEqual([`wake ${A}`, `wake ${A}`]);
  });
});

describe("a tool", () => {
  it("of ours is told whose call it is, whatever the model says, and which subagent's", async () => {
    const host = new OpencodeHost();
    host.parents.set(CHILD, A);
    for (const [sessionID, caller] of [
      [A, A],
      [CHILD, `${A}/${CHILD}`],
    ] as const) {
      const args = { tt_session_id: "ses_of_another" };
      await host.plugin["tool.execute.before"]({ tool: "talking-stick_join_path", sessionID }, { args });
      expect(args).toEqual({ tt_session_id: caller });
    }
  });

  it("of ours in a session that OpenCode does not know is nobody's call", async () => {
    const host = new OpencodeHost();
    const args: Record<string, unknown> = { tt_session_id: "ses_of_another" };
    await host.plugin["tool.execute.before"]({ tool: "talking-stick_join_path", sessionID: "odd" }, { args });
    expect(args).toEqual({});
  });

  it("of others keeps its arguments", async () => {
    const host = new OpencodeHost();
    const args = { command: "ls" };
    await host.plugin["tool.execute.before"]({ tool: "bash", sessionID: A }, { args });
    expect(args).toEqual({ command: "ls" });
    expect(host.news).toEqual([`pre-tool ${A}`]);
  });

  it("answers with what has come meanwhile, but not to a subagent", async () => {
    const host = new OpencodeHost();
    host.parents.set(CHILD, A);
    const after = async (sessionID: string, result: { output?: string; content?: unknown[] }) => {
      host.says["post-tool"] = { context: "mail" };
      await host.plugin["tool.execute.after"]({ tool: "any", sessionID }, result);
      return result;
    };
    expect(await after(A, { output: "done" })).toEqual({ output: "done\n\nmail" });
    expect(await after(A, { content: [] })).toEqual({ content: [{ type: "text", text: "mail" }] });
    expect(await after(CHILD, { output: "done" })).toEqual({ output: "done" });
  });
});

test("a command knows its session, and that a subagent runs it", async () => {
  const host = new OpencodeHost();
  host.parents.set(CHILD, A);
  const env: Record<string, string> = {};
  await host.plugin["shell.env"]({ sessionID: CHILD }, { env });
  expect(env).toEqual({ TT_OPENCODE_SESSION_ID: A, TT_OPENCODE_SUBAGENT: "1" });
  const own: Record<string, string> = {};
  await host.plugin["shell.env"]({ sessionID: A }, { env: own });
  expect(own).toEqual({ TT_OPENCODE_SESSION_ID: A });
  const bare: Record<string, string> = {};
  await host.plugin["shell.env"]({}, { env: bare });
  expect(bare).toEqual({});
});

test("the end of a session is told after everything else about it, and nothing brings it back", async () => {
  const host = new OpencodeHost();
  await host.prompt(A);
  host.done.splice(0);
  host.says["stop"] = { go_on: "you still hold the stick" };
  const endings: Promise<void>[] = [];
  host.meanwhile = async () => {
    await new Promise(setImmediate);
    if (endings.length === 0) endings.push(host.plugin.dispose());
    await new Promise(setImmediate);
    host.done.push("answered");
  };
  await host.rest(A);
  await Promise.all(endings);
  expect(host.news).toEqual([`stop ${A}`, "answered", `session-end ${A}`, "answered"]);
  expect(await host.prompt(A)).toEqual([]);
  expect(host.news).toEqual([]);
});

test("sessions end when they are deleted, and all of them when OpenCode ends", async () => {
  const host = new OpencodeHost();
  await host.prompt(A);
  await host.prompt("ses_b");
  host.done.splice(0);
  await host.event("session.deleted", { info: { id: A } });
  await host.plugin.dispose();
  await host.plugin.dispose();
  expect(host.news).toEqual([`session-end ${A}`, "session-end ses_b"]);
});

describe("a turn that breaks off", () => {
  it.each([["MessageAbortedError"], ["APIError"]])("with %s is told at once, and its end is not told", async (name) => {
    const host = await resting();
    await host.prompt(A);
    host.done.splice(0);
    await host.event("session.error", { sessionID: A, error: { name } });
    await host.rest(A);
    await host.rest(A);
    expect(host.news).toEqual([`turn-broken ${A}`]);
  });

  it("shows nothing with a tool that ends after it", async () => {
    const host = await resting();
    await host.prompt(A);
    await host.event("session.error", { sessionID: A, error: { name: "MessageAbortedError" } });
    host.says["post-tool"] = { context: "mail" };
    const result = { output: "stopped" };
    await host.plugin["tool.execute.after"]({ tool: "bash", sessionID: A }, result);
    expect(result).toEqual({ output: "stopped" });
  });

  it("leaves its name to no other: what is typed into a turn has the name of that turn", async () => {
    const host = new OpencodeHost();
    const turn = () => host.payloads.at(-1)?.["turn_id"];
    await host.prompt(A, { agent: "plan" }, "msg_1");
    expect(turn()).toBe("msg_1");
    await host.prompt(A, { agent: "plan" }, "msg_2");
    expect(turn()).toBe("msg_1");
    await host.event("session.error", { sessionID: A, error: { name: "MessageAbortedError" } });
    await host.prompt(A, { agent: "plan" }, "msg_3");
    expect(turn()).toBe("msg_3");
  });
});
