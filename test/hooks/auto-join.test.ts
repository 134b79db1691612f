import { beforeEach, describe, expect, test, vi } from "vitest";
import { asRoomId } from "../../src/core/ids.ts";
import { createTalkingStick } from "../../src/surfaces/library/talking-stick.ts";
import { accepted } from "../support/service-world.ts";
import { idOf } from "../support/session-clues.ts";
import { HookService } from "./hook-service.ts";

const [OLD, NEW, OTHER] = ["session-old", "session-new", "session-other"];
let service: HookService;

beforeEach(() => {
  service = new HookService();
});

const idIn = (session: string) => idOf("claude", session);

async function room() {
  const { rooms } = await service.deps.store.readRooms({});
  return rooms[0];
}

async function members(): Promise<string[]> {
  return [...((await room())?.state.members.keys() ?? [])].toSorted();
}

describe("joining without being asked", () => {
  test("is told once, however many hooks run at the same time", async () => {
    await service.hook("session-start", OLD);
    await service.hook("session-start", OTHER);
    const said = await Promise.all([1, 2, 3].map(() => service.hook("pre-tool", OLD)));
    expect(said.filter((text) => text !== "")).toEqual([expect.stringContaining("You are claude-2")]);
  });

  test("happens when another session lives in the project, in any of its directories", async () => {
    await service.hook("session-start", OLD);
    const deeper = service.world.directory("tree/deep/er");
    expect(await service.hook("session-start", OTHER, { cwd: deeper })).toContain("1 agent about to join");
    expect(service.flags).toEqual(new Set([OLD]));
    expect(await service.hook("pre-tool", OLD)).toContain("You are claude-2");
    expect(await members()).toEqual([idIn(OLD), idIn(OTHER)].toSorted());
  });

  test("raises the flag of a session outside once", async () => {
    await service.hook("session-start", OLD);
    const raise = vi.spyOn(service.deps.flags, "raise");
    expect(await service.hook("session-start", OTHER)).toContain("1 agent about to join");
    expect(raise.mock.calls).toEqual([[[OLD]]]);
  });

  test("is asked for by a member that comes back, too", async () => {
    const { roomId } = await service.peer("codex:bob");
    await service.hook("session-start", OLD);
    accepted(await service.world.as("codex:bob").leaveRoom({ roomId }));
    const process = service.caller(OLD).process?.startTicks ?? "";
    service.world.gone.add(process).add("codex:bob");
    service.world.nowMs += 3_600_000;
    await service.hook("session-start", OTHER);
    expect(await members()).toEqual([idIn(OLD)]);
    service.world.gone.delete(process);
    expect(await service.hook("session-start", OLD)).toContain("1 agent about to join");
    expect(service.flags).toEqual(new Set([OTHER]));
  });

  test("happens at the next hook, also where the one who came has no hooks", async () => {
    await service.hook("session-start", OLD);
    await service.hook("prompt", OLD);
    await service.peer("codex:bob");
    expect(service.flags).toEqual(new Set([OLD]));
    expect(await service.hook("pre-tool", OLD)).toContain("You are claude");
    expect(await members()).toEqual([idIn(OLD), "codex:bob"].toSorted());
    await service.peer("codex:bob");
    expect(service.flags).toEqual(new Set());
  });

  test("is not awaited of a session that is in another room of the project", async () => {
    const below = service.world.directory("tree/below");
    const settled = createTalkingStick(service.deps, service.caller(OLD));
    await service.hook("session-start", OLD);
    accepted(await settled.joinPath({ contextPath: below, forceNew: true }));
    await service.peer("codex:bob");
    expect(service.flags).toEqual(new Set());
    expect(await service.hook("session-start", OTHER)).not.toContain("about to join");
    expect(service.flags).toEqual(new Set());
  });

  test("does not happen for one whose process is gone", async () => {
    await service.hook("session-start", OLD);
    service.world.gone.add(service.caller(OLD).process?.startTicks ?? "");
    expect(await service.hook("session-start", OTHER)).toBe("");
    expect(await room()).toBeUndefined();
  });

  test("happens again when a session that ended is resumed, now or later", async () => {
    await service.peer("codex:bob");
    for (const reason of ["logout", "other"]) {
      await service.hook("session-start", OLD);
      expect(await members()).toContain(idIn(OLD));
      await service.hook("session-end", OLD, { reason });
      expect(await members()).not.toContain(idIn(OLD));
    }
    expect(await service.hook("prompt", OLD)).toContain("You are claude");
    expect(await members()).toContain(idIn(OLD));
  });

  test("happens to no session that left by its own choice, until it starts again", async () => {
    const { stick, roomId } = await service.peer("codex:bob");
    await service.hook("session-start", OLD);
    accepted(await createTalkingStick(service.deps, service.caller(OLD)).leaveRoom({ roomId }));
    // However much happens in the room meanwhile.
    for (let note = 0; note < 1_100; note += 1) accepted(await stick.addNote({ roomId, body: "busy" }));
    for (const event of ["prompt", "pre-tool"] as const) expect(await service.hook(event, OLD)).toBe("");
    expect(await service.hook("session-start", OLD, { source: "compact" })).toBe("");
    expect(await members()).toEqual(["codex:bob"]);
    expect(await service.hook("session-start", OTHER)).not.toContain("about to join");
    expect(service.flags).toEqual(new Set());
    expect(await service.hook("session-start", OLD, { source: "resume" })).toContain("You are claude");
  });

  test("happens to no session that a person removed, until it acts by itself", async () => {
    const { stick, roomId } = await service.peer("codex:bob");
    await service.hook("session-start", OLD);
    const person = service.world.as("human:ada", { person: true });
    accepted(await person.joinPath({ contextPath: service.tree }));
    accepted(await person.kickMember({ roomId, targetAgentId: idIn(OLD), force: true }));
    expect(await service.hook("prompt", OLD)).toContain("removed you from the room");
    for (const event of ["pre-tool", "prompt"] as const) expect(await service.hook(event, OLD)).toBe("");
    expect(await members()).not.toContain(idIn(OLD));
    expect(await stick.sendMessage({ roomId, to: idIn(OLD), body: "x" })).toMatchObject({ error: "unknown_recipient" });
    accepted(await createTalkingStick(service.deps, service.caller(OLD)).addNote({ roomId, body: "here I am" }));
    expect(await members()).toContain(idIn(OLD));
  });

  test("does not reopen a room that was closed", async () => {
    const { roomId } = await service.peer("codex:bob");
    const person = service.world.as("human:ada", { person: true });
    accepted(await person.closeRoom({ roomId }));
    expect(await service.hook("session-start", OTHER)).toBe("");
    expect((await service.deps.store.readRoom(asRoomId(roomId)))?.room.state.status).toBe("closed");
  });

  test("where one process serves many, only a late sign of life makes a session a live one", async () => {
    const sign = { epoch: "boot-1", ms: service.world.nowMs };
    service.deps = { ...service.deps, activity: { lastSign: (session) => (session === OLD ? sign : null) } };
    await service.hook("session-start", OLD, { process: null });
    service.world.nowMs += 3_600_000;
    expect(await service.hook("session-start", OTHER)).toBe("");
    sign.ms = service.world.nowMs - 60_000;
    expect(await service.hook("session-start", NEW)).toContain("about to join");
  });
});
