/** One OpenCode serves many sessions through one server of ours, and our plugin says with an argument whose call it is. */
import { describe, expect, it, test } from "vitest";
import { idOf } from "../support/session-clues.ts";
import { ERAS, McpWorld } from "./support/mcp-world.ts";

const NAMELESS = { TT_AGENT_ID: "" };

describe.each(ERAS)("with a client that begins with %s", (era) => {
  it("the sessions of one OpenCode are agents of their own, each with its own turn", async () => {
    const server = await new McpWorld().connect("", { era, client: "opencode", env: NAMELESS });
    const [first, second] = ["ses_first", "ses_second"];
    expect(await server.done("get_my_session", { tt_session_id: first })).toMatchObject({
      agent_id: idOf("opencode", first),
      id_source: "call",
      verified: true,
    });
    expect(await server.done("wait_for_turn", { tt_session_id: first })).toMatchObject({ status: "your_turn" });
    expect(await server.done("wait_for_turn", { tt_session_id: second, max_wait_ms: 0 })).toMatchObject({
      status: "not_yet",
      current_owner: idOf("opencode", first),
    });
  });

  it("a call of an OpenCode without our plugin is nobody's", async () => {
    const server = await new McpWorld().connect("", { era, client: "opencode", env: NAMELESS });
    expect(await server.call("wait_for_turn")).toMatchObject({ isError: true, answer: { error: "agent_id_required" } });
  });

  it("a client of another name is told that there is no such argument", async () => {
    const server = await new McpWorld().connect("a:1", { era, client: "claude-code" });
    const { isError, answer } = await server.call("get_my_session", { tt_session_id: "ses_first" });
    expect([isError, answer["error"], answer["message"]]).toEqual([
      true,
      "invalid_input",
      expect.stringContaining("tt_session_id"),
    ]);
  });
});

test.each([7, "", "../ses_first", null, { id: "ses_first" }])("%j is no session's id and nobody's", async (given) => {
  const server = await new McpWorld().connect("", { client: "opencode", env: NAMELESS });
  const result = await server.call("join_path", { tt_session_id: given });
  expect(result).toMatchObject({ isError: true, answer: { error: "agent_id_required" } });
});
