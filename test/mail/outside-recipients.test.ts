/** Sessions that live in a room's directory and are in no room get what is sent to them by name, and to the room. */
import { describe, expect, it } from "vitest";
import { asAgentId } from "../../src/core/ids.ts";
import { newSession, type Session } from "../../src/session/rules/session.ts";
import { processOf } from "../support/room-world.ts";
import { accepted, ServiceWorld } from "../support/service-world.ts";

/** A room in which a:1 is alone. */
async function world() {
  const service = new ServiceWorld();
  const tree = service.directory("tree");
  const { roomId, project } = accepted(await service.as("a:1").joinPath({ contextPath: tree }));
  const know = async (agent: string, more: Partial<Session> = {}) => {
    const key = { agentId: asAgentId(agent), project };
    const known = { ...newSession(key, agent.split(":")[0] ?? agent), cwd: tree, process: processOf(agent), ...more };
    await service.deps.store.changeSession(key, () => known);
  };
  const send = async (to: string) => {
    const sent = await service.as("a:1").sendMessage({ roomId, to, body: "hello" });
    return "error" in sent ? sent.error : sent.deliveries.map((delivery) => delivery.to);
  };
  return { service, roomId, project, tree, know, send };
}

const HOOKED = { hooked: true, sessionId: "session-1" };
const SERVED = { servers: [processOf("server")] };

describe("a live session that is in no room", () => {
  it.each([
    ["with hooks", HOOKED],
    ["with a server", SERVED],
  ])("%s is found by id, by harness and by the room", async (_, more) => {
    const { know, send } = await world();
    await know("claude:1", more);
    for (const name of ["claude:1", "claude", "room"]) expect(await send(name)).toEqual(["claude:1"]);
  });

  it("is found by the id that its harness gave it", async () => {
    const { know, send } = await world();
    await know("claude:1", HOOKED);
    expect(await send("session-1")).toEqual(["claude:1"]);
  });

  it("stands behind the handle of a member, and beside a member of its harness", async () => {
    const { service, roomId, tree, know, send } = await world();
    accepted(await service.as("claude:2").joinPath({ contextPath: tree }));
    await know("claude:1", HOOKED);
    expect(await send("claude")).toEqual(["claude:2"]);
    expect(await send("room")).toEqual(["claude:2", "claude:1"]);
    accepted(await service.as("claude:2").nameMyself({ roomId, handle: "zoe" }));
    expect(await send("claude")).toBe("ambiguous_recipient");
  });

  it("gets one delivery after it has joined", async () => {
    const { service, tree, know, send } = await world();
    await know("claude:1", HOOKED);
    accepted(await service.as("claude:1").joinPath({ contextPath: tree }));
    expect(await send("room")).toEqual(["claude:1"]);
  });

  it("is known by its session where its process is known as well", async () => {
    const { know, send } = await world();
    const process = processOf("one");
    await know("claude:process", { ...SERVED, process });
    await know("claude:1", { ...HOOKED, process });
    expect(await send("room")).toEqual(["claude:1"]);
    expect(await send("claude")).toEqual(["claude:1"]);
  });

  it.each(["explicit", "environment"] as const)("is found by its %s name while its server runs", async (idSource) => {
    const { service, know, send } = await world();
    await know("bot:1", { ...SERVED, process: null, idSource });
    expect(await send("bot")).toEqual(["bot:1"]);
    service.gone.add("server");
    expect(await send("bot")).toBe("unknown_recipient");
  });
});

describe("nobody is found in", () => {
  it.each<[string, Partial<Session>]>([
    ["a process that is gone", { ...HOOKED, process: processOf("gone") }],
    ["a process whose server is gone", { servers: [processOf("gone")] }],
    ["a process without hooks or a server", {}],
    [
      "one of many sessions of a process, of which a server tells nothing",
      { ...SERVED, process: null, idSource: "call" },
    ],
  ])("%s", async (_, more) => {
    const { service, know, send } = await world();
    service.gone.add("gone");
    await know("claude:1", more);
    expect(await send("room")).toEqual([]);
    expect(await send("claude")).toBe("unknown_recipient");
  });

  it("the sender's own process", async () => {
    const { know, send } = await world();
    await know("claude:1", { ...HOOKED, process: processOf("a:1") });
    expect(await send("room")).toEqual([]);
  });
});

describe("a message to the room does not reach", () => {
  it("a session that left it on purpose", async () => {
    const { service, roomId, tree, know, send } = await world();
    accepted(await service.as("claude:1").joinPath({ contextPath: tree }));
    await know("claude:1", HOOKED);
    accepted(await service.as("claude:1").leaveRoom({ roomId }));
    expect(await send("room")).toEqual([]);
    expect(await send("claude")).toBe("unknown_recipient");
  });

  it("a session in a room inside of it, which a name reaches", async () => {
    const { service, know, send } = await world();
    const inner = service.directory("tree/inner");
    accepted(await service.as("b:1").joinPath({ contextPath: inner, forceNew: true }));
    await know("claude:1", { ...HOOKED, cwd: inner });
    expect(await send("room")).toEqual([]);
    expect(await send("claude")).toEqual(["claude:1"]);
  });

  it("a session whose directory is not known, which a name reaches", async () => {
    const { know, send } = await world();
    await know("claude:1", { ...HOOKED, cwd: null });
    expect(await send("room")).toEqual([]);
    expect(await send("claude")).toEqual(["claude:1"]);
  });
});
