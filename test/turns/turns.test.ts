/** Turns with a real record: agents work in a real repository, and the log and the record tell what each turn did. */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Next, wordNext } from "../../src/core/next.ts";
import type { Refusal } from "../../src/core/refusal.ts";
import type { TreeSnapshot } from "../../src/stick/rules/snapshot.ts";
import { commandFor } from "../../src/surfaces/cli/command-for.ts";
import { OPERATIONS } from "../../src/surfaces/operations.ts";
import { accepted } from "../support/service-world.ts";
import { A_FLAG, toldToModel } from "../support/told-to-model.ts";
import { HANDOFF, TurnWorld } from "./turn-world.ts";

describe("turns of two agents", () => {
  it("each turn shows who changed which files", async () => {
    const world = await new TurnWorld().with("a", "b");
    await world.turn("a", () => world.write("new.txt", "one\n"));
    await world.turn("b", () => world.write("new.txt", "two\n"));
    const { turns } = (await world.ask("list_turns")) as { turns: object[] };
    expect(turns).toMatchObject([
      { turnId: 1, agentId: "a", ended: "release", files: 1, added: 1, removed: 0, record: "kept" },
      { turnId: 2, agentId: "b", ended: "release", files: 1, added: 1, removed: 0, record: "kept" },
    ]);
    expect(await world.ask("show_turn", { turn_id: 1 })).toMatchObject({
      handoff: { status: HANDOFF.status },
      files: [{ path: "new.txt", status: "added", untracked: true }],
    });
    expect(await world.ask("diff_turn", { turn_id: 2 })).toMatchObject({ patch: expect.stringContaining("+two") });
    expect(await world.events("foreign_write")).toEqual([]);
  });

  it("the handoff names the tree, and a directly following turn takes no snapshot of its own", async () => {
    const world = await new TurnWorld().with("a", "b");
    await world.turn("a", () => world.write("new.txt", "one\n"));
    const room = { roomId: world.roomId, path: world.tree };
    const taken = world.record().turnOf(room, 1).end?.outcome as TreeSnapshot;
    // However slow this machine is, the grant comes at once.
    world.wallAheadMs = taken.takenAtMs - world.nowMs;
    await world.turn("b", () => undefined);
    expect(world.record().turnOf(room, 2)).toMatchObject({ begin: null, end: { late: false } });
  });

  it("what changed while nobody held the stick is an event before the grant is answered", async () => {
    const world = await new TurnWorld().with("a", "b");
    await world.turn("a", () => world.write("new.txt", "one\n"));
    world.write("foreign.txt", "by a person\n");
    world.nowMs += 600_000;
    await world.turn("b", () => world.write("own.txt", "two\n"));
    expect(await world.events("foreign_write")).toMatchObject([
      { fromAgentId: null, payload: { paths: ["foreign.txt"], more: 0, evidence: "comparison", duringTurn: null } },
    ]);
    // It is not the work of the second turn.
    expect(await world.ask("show_turn", { turn_id: 2 })).toMatchObject({ files: [{ path: "own.txt" }] });
  });

  it.each([
    ["a person gave the stick", "give_stick", { to_agent_id: "b", operator_requested: true }],
    ["a person removed the holder", "kick_member", { target_agent_id: "a", force: true }],
  ])("a turn that began because %s begins with a snapshot of its own", async (_, how, input) => {
    const world = await new TurnWorld().with("a", "b", "human:eve");
    await world.turn("a", () => world.write("first.txt", "one\n"));
    await world.holds("a");
    await world.waits("b");
    world.write("of-a.txt", "one\n");
    accepted(await world.ask(how, input, "human:eve", true));
    await world.turn("b", () => world.write("of-b.txt", "one\n"));
    const { turns } = (await world.ask("list_turns", {}, "b")) as { turns: object[] };
    expect(turns.slice(1)).toMatchObject([
      { turnId: 2, record: "none" },
      { turnId: 3, agentId: "b", files: 1, record: "kept" },
    ]);
  });

  it("what changed in a pause is told when the next turn begins, and is not of that turn", async () => {
    const world = await new TurnWorld().with("a", "b");
    const token = await world.holds("a");
    await world.waits("b");
    accepted(await world.ask("pause_room", {}, "human:eve", true));
    accepted(await world.ask("release_stick", { ...token, handoff: HANDOFF }));
    world.write("in-the-pause.txt", "one\n");
    world.nowMs += 600_000;
    accepted(await world.ask("resume_room", {}, "human:eve", true));
    await world.turn("b", () => world.write("of-b.txt", "one\n"));
    const { turns } = (await world.ask("list_turns")) as { turns: object[] };
    expect(turns.slice(1)).toMatchObject([{ turnId: 2, agentId: "b", files: 1, record: "kept" }]);
    expect(await world.events("foreign_write")).toMatchObject([{ payload: { paths: ["in-the-pause.txt"] } }]);
  });

  it("every fiftieth turn keeps the record within its limits, in the background", async () => {
    const world = await new TurnWorld({ recordMaxBytes: 2_000_000, recordKeepDays: 3 }).with("a", "b");
    for (let turn = 0; turn < 25; turn += 1) {
      expect(world.laterWork).toEqual([]);
      await world.turn("a", () => undefined);
      await world.turn("b", () => undefined);
    }
    expect(world.laterWork).toMatchObject([{ prune: { maxBytes: 2_000_000, keepDays: 3 } }]);
  });

  it("a takeover begins with a snapshot of its own, and accuses nobody", async () => {
    const world = await new TurnWorld({ leaseTtlMs: 1000 }).with("a", "b");
    await world.turn("b", () => undefined);
    accepted(await world.as("a").waitForTurn({ roomId: world.roomId, maxWaitMs: 0 }));
    world.write("half.txt", "done\n");
    world.nowMs += 200_000;
    accepted(await world.as("b").takeoverStick({ roomId: world.roomId, expectedTurnId: 2, reason: "it is gone" }));
    const room = { roomId: world.roomId, path: world.tree };
    expect(world.record().turnOf(room, 3)).toMatchObject({ begin: { outcome: { treeId: expect.any(String) } } });
    expect(await world.events("foreign_write")).toEqual([]);
  });
});

describe("when nothing is kept", () => {
  it("a lone session pays nothing", async () => {
    const world = await new TurnWorld().with("a");
    await world.turn("a", () => world.write("new.txt", "one\n"));
    expect(existsSync(join(world.root, "data/record"))).toBe(false);
    expect(await world.ask("list_turns")).toMatchObject({ turns: [{ turnId: 1, files: null, record: "none" }] });
  });

  it("the policy decides: on also for one, off also for two", async () => {
    const on = await new TurnWorld({ record: "on" }).with("a");
    await on.turn("a", () => on.write("new.txt", "one\n"));
    expect(await on.ask("list_turns")).toMatchObject({ turns: [{ files: 1 }] });
    const off = await new TurnWorld({ record: "off" }).with("a", "b");
    await off.turn("a", () => off.write("new.txt", "one\n"));
    expect(existsSync(join(off.root, "data/record"))).toBe(false);
  });
});

describe("restoring", () => {
  it("gives the holder its file back", async () => {
    const world = await new TurnWorld().with("a", "b");
    await world.turn("a", () => writeFileSync(join(world.tree, "first.txt"), "of a\n"));
    await world.turn("b", () => rmSync(join(world.tree, "first.txt")));
    accepted(await world.as("a").waitForTurn({ roomId: world.roomId, maxWaitMs: 0 }));
    const answer = await world.ask("restore_turn", { turn_id: 1, paths: ["first.txt"] });
    expect(answer).toMatchObject({ restored: ["first.txt"], kept: expect.any(String) });
    expect(readFileSync(join(world.tree, "first.txt"), "utf8")).toBe("of a\n");
  });

  it("what it overwrote comes back by the name that it gave", async () => {
    const world = await new TurnWorld().with("a", "b");
    await world.turn("a", () => writeFileSync(join(world.tree, "first.txt"), "of a\n"));
    await world.turn("b", () => writeFileSync(join(world.tree, "first.txt"), "of b\n"));
    accepted(await world.as("a").waitForTurn({ roomId: world.roomId, maxWaitMs: 0 }));
    const bytes = Buffer.from([0, 255, 13, 10]);
    writeFileSync(join(world.tree, "first.txt"), bytes);
    const paths = ["first.txt"];
    const { kept, next } = (await world.ask("restore_turn", { turn_id: 1, paths, force: true })) as Restored;
    expect(readFileSync(join(world.tree, "first.txt"), "utf8")).toBe("of a\n");
    expect(wordNext(next, commandFor)).toBe(`To undo this: tt turn restore ${kept} --yes -- first.txt`);
    expect(await world.ask("diff_turn", { kept, paths })).toMatchObject({ patch: expect.stringContaining("Binary") });
    expect(await world.ask("restore_turn", { kept, paths })).toMatchObject({ error: "newer_changes" });
    expect(await world.ask("restore_turn", { kept, paths, force: true })).toMatchObject({ restored: paths });
    expect(readFileSync(join(world.tree, "first.txt"))).toEqual(bytes);
  });

  it("a name that nothing is kept under is refused with those that there are", async () => {
    const world = await new TurnWorld().with("a", "b");
    await world.turn("a", () => writeFileSync(join(world.tree, "first.txt"), "of a\n"));
    const unknown = { kept: "kept-17", paths: ["first.txt"], force: true };
    expect(await world.ask("restore_turn", unknown, "human:p", true)).toMatchObject({ error: "no_snapshot" });
    rmSync(join(world.tree, "first.txt"));
    const { kept } = (await world.ask("restore_turn", { turn_id: 1, paths: ["."] }, "human:p", true)) as Restored;
    const refusal = (await world.ask("restore_turn", unknown, "human:p", true)) as Refusal;
    expect(refusal).toMatchObject({ error: "no_snapshot", next: expect.stringContaining(kept) });
  });

  it("a restore that changes nothing keeps nothing", async () => {
    const world = await new TurnWorld().with("a", "b");
    await world.turn("a", () => writeFileSync(join(world.tree, "first.txt"), "of a\n"));
    const answer = await world.ask("restore_turn", { turn_id: 1, paths: ["first.txt"] }, "human:p", true);
    expect(answer).toMatchObject({ restored: [], deleted: [], failed: [], kept: null });
  });

  it("does not say that an ignored file is not there", async () => {
    const world = await new TurnWorld().with("a", "b");
    await world.turn("a", () => writeFileSync(join(world.tree, ".gitignore"), "*.log\n"));
    world.write("some.log", "one\n");
    const answer = await world.ask("restore_turn", { turn_id: 1, paths: ["some.log"] }, "human:p", true);
    const facts = { error: "invalid_path", message: "Neither the snapshot of turn 1 nor one of now has some.log." };
    expect(answer).toMatchObject({ ...facts, next: expect.stringContaining("gnored files") });
  });

  it("a holder that loses the stick meanwhile writes nothing", async () => {
    const world = await new TurnWorld({ leaseTtlMs: 1000 }).with("a", "b");
    await world.turn("a", () => writeFileSync(join(world.tree, "first.txt"), "of a\n"));
    accepted(await world.as("b").waitForTurn({ roomId: world.roomId, maxWaitMs: 0 }));
    writeFileSync(join(world.tree, "first.txt"), "newer\n");
    world.meanwhile = async () => {
      world.nowMs += 200_000;
      const taken = { roomId: world.roomId, expectedTurnId: 2, reason: "it is gone" };
      accepted(await world.as("a").takeoverStick(taken));
    };
    const answer = await world.ask("restore_turn", { turn_id: 1, paths: ["first.txt"], force: true }, "b");
    expect(answer).toMatchObject({ error: "not_authorized", facts: { holder: "a" } });
    expect(readFileSync(join(world.tree, "first.txt"), "utf8")).toBe("newer\n");
  });

  it("a refusal over newer changes names the command that shows them", async () => {
    const world = await new TurnWorld().with("a", "b");
    await world.turn("a", () => writeFileSync(join(world.tree, "first.txt"), "of a\n"));
    writeFileSync(join(world.tree, "first.txt"), "newer\n");
    const input = { turn_id: 1, paths: ["first.txt"] };
    const { next } = (await world.ask("restore_turn", input, "human:p", true)) as Refusal;
    expect(wordNext(next, commandFor)).toMatch(/See the changes first: tt turn diff 1 --since -- first\.txt$/);
    const { patch } = (await world.ask("diff_turn", { ...input, since: true })) as { patch: string };
    expect(patch).toMatch(/^-of a\n\+newer$/m);
  });

  it("a person may restore without the stick", async () => {
    const world = await new TurnWorld().with("a", "b");
    await world.turn("a", () => writeFileSync(join(world.tree, "first.txt"), "of a\n"));
    rmSync(join(world.tree, "first.txt"));
    expect(await world.ask("restore_turn", { turn_id: 1, paths: ["."], force: true }, "human:p", true)).toMatchObject({
      restored: ["first.txt"],
    });
  });
});

interface Restored {
  readonly kept: string;
  readonly next: Next;
}

describe("a room without a git repository", () => {
  const why = "in no git repository";

  it("says so wherever a snapshot is missing", async () => {
    const world = await new TurnWorld({}, false).with("a", "b");
    await world.turn("a", () => world.write("new.txt", "one\n"));
    const missing = { record: "none", reason: "not_a_repository" };
    expect(await world.ask("list_turns")).toMatchObject({ turns: [missing] });
    expect(await world.ask("show_turn", { turn_id: 1 })).toMatchObject({ turn: missing });
    const refused = { error: "no_snapshot", message: expect.stringContaining(why) };
    expect(await world.ask("diff_turn", { turn_id: 1, paths: ["new.txt"] })).toMatchObject(refused);
    const restoring = { turn_id: 1, paths: ["new.txt"] };
    expect(await world.ask("restore_turn", restoring, "human:p", true)).toMatchObject(refused);
  });
});

interface Row {
  readonly operation: string;
  readonly input: object;
  readonly as?: string;
}

/** After a turn of a, in which first.txt changed; then it changed again. b holds the stick. */
const ROWS: Readonly<Record<string, readonly Row[]>> = {
  invalid_turn_id: [
    { operation: "show_turn", input: { turn_id: 99 } },
    { operation: "diff_turn", input: { turn_id: 99 } },
    { operation: "restore_turn", input: { turn_id: 99, paths: ["first.txt"] } },
  ],
  no_snapshot: [
    { operation: "diff_turn", input: { turn_id: 1 } },
    { operation: "restore_turn", input: { turn_id: 3, paths: ["first.txt"] }, as: "b" },
  ],
  newer_changes: [{ operation: "restore_turn", input: { turn_id: 2, paths: ["first.txt"] }, as: "b" }],
  not_authorized: [{ operation: "restore_turn", input: { turn_id: 2, paths: ["first.txt"] }, as: "a" }],
  invalid_path: [
    { operation: "diff_turn", input: { turn_id: 2, paths: ["../other"] } },
    { operation: "restore_turn", input: { turn_id: 2, paths: ["nowhere.txt"] }, as: "b" },
  ],
};

describe("every refusal of the operations about turns", () => {
  it.each(Object.entries(ROWS).flatMap(([code, rows]) => rows.map((row) => [row.operation, code, row] as const)))(
    "%s is refused with %s",
    async (operation, code, { input, as = "a" }) => {
      const world = await new TurnWorld().with("a");
      await world.turn("a", () => undefined);
      await world.with("b");
      await world.turn("a", () => writeFileSync(join(world.tree, "first.txt"), "of a\n"));
      accepted(await world.as("b").waitForTurn({ roomId: world.roomId, maxWaitMs: 0 }));
      writeFileSync(join(world.tree, "first.txt"), "newer\n");
      const answer = (await world.ask(operation, input, as)) as Refusal;
      expect(answer).toMatchObject({ error: code });
      expect(toldToModel(answer)).not.toMatch(A_FLAG);
      expect(readFileSync(join(world.tree, "first.txt"), "utf8")).toBe("newer\n");
    },
  );

  it("is met above", () => {
    const ours = OPERATIONS.filter(({ name }) => name.endsWith("_turn") || name === "list_turns");
    const listed = ours.flatMap(({ name, refusals }) => refusals.map((code) => `${name} ${code}`));
    const met = Object.entries(ROWS).flatMap(([code, rows]) => rows.map((row) => `${row.operation} ${code}`));
    expect(listed.filter((one) => !met.includes(one) && !one.startsWith("wait_for_turn"))).toEqual([]);
  });
});
