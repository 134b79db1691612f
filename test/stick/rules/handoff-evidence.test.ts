import { describe, expect, it } from "vitest";
import type { HandoffEvidence } from "../../../src/core/handoff.ts";
import { evidenceStatus, gitEvidence, isLastEndKept } from "../../../src/stick/rules/handoff-evidence.ts";
import { RoomWorld } from "../../support/room-world.ts";

const CHECKED_OUT = { head: "abc", branch: "main" };
const FROM_GIT: HandoffEvidence = { ...CHECKED_OUT, dirty: true, untracked: 2, diffStat: " 1 file changed" };
const CHANGED = { files: [{ path: "a.ts", added: 1, removed: 0 }], more: 0 };
const WHOLE: HandoffEvidence = { ...FROM_GIT, tree: "7ree", changed: CHANGED };

/** Two agents in a repository; the first one has had a turn, and the second one waits. */
function afterOneTurn(): RoomWorld {
  const world = new RoomWorld({ snapshotMaxMs: 2000 });
  world.checkedOut = CHECKED_OUT;
  world.join("claude:1");
  world.join("codex:1");
  world.wait("claude:1");
  world.wait("codex:1");
  world.release("claude:1");
  return world;
}

function evidenceNow({ room }: RoomWorld): HandoffEvidence | undefined {
  return room.state.handoff?.handoff.evidence;
}

function seqOfHandoff({ room }: RoomWorld): number {
  return room.state.handoff?.seq ?? 0;
}

describe("a handoff in a repository", () => {
  it("has head and branch at once, and says until when the rest may come", () => {
    const world = afterOneTurn();
    const evidence = evidenceNow(world);
    expect(evidence).toMatchObject({ ...CHECKED_OUT, dirty: null, untracked: null, diffStat: null });
    const untilMs = Date.parse(evidence?.pendingUntil ?? "");
    // The snapshot of this room may take two seconds.
    expect(untilMs - world.wallMs).toBe(7000);
    expect(evidenceStatus(evidence as HandoffEvidence, untilMs)).toBe("pending");
    expect(evidenceStatus(evidence as HandoffEvidence, untilMs + 1)).toBe("missing");
    expect(evidenceStatus(WHOLE, untilMs + 1)).toBe("complete");
  });

  it("has no evidence outside of a repository", () => {
    const world = afterOneTurn();
    world.checkedOut = null;
    world.wait("codex:1");
    world.release("codex:1");
    expect(evidenceNow(world)).toBe(undefined);
  });
});

describe("the evidence that comes", () => {
  it("takes the place of the first, and leaves what the author wrote", () => {
    const world = afterOneTurn();
    const { handoff, seq } = world.room.state.handoff ?? { handoff: null, seq: 0 };
    world.attachEvidence(1, seq, "claude:1", WHOLE);
    const { lastSeq } = world.room.state;
    expect(world.room.state.handoff).toEqual({
      handoff: { ...handoff, evidence: WHOLE },
      fromAgentId: "claude:1",
      seq,
      evidenceSeq: lastSeq,
    });
    expect(world.events.at(-1)).toMatchObject({ type: "evidence_attached", turnId: 1, fromAgentId: "claude:1" });
  });

  it("is shown to the next holder that has begun, and changes nothing else", () => {
    const world = afterOneTurn();
    world.wait("codex:1");
    const before = world.room;
    expect(world.attachEvidence(1, seqOfHandoff(world), "claude:1", WHOLE)).toEqual({ isLate: false });
    expect(evidenceNow(world)).toEqual(WHOLE);
    const { handoff: _now, lastSeq: _last, ...rest } = world.room.state;
    const { handoff: _then, lastSeq: _before, ...same } = before.state;
    expect(rest).toEqual(same);
    expect([world.room.lease, world.room.waits, world.room.presence]).toEqual([
      before.lease,
      before.waits,
      before.presence,
    ]);
  });

  it("of a turn before the last one stays in the log, and says nothing of a tree that may be another's", () => {
    const world = afterOneTurn();
    const first = seqOfHandoff(world);
    world.wait("codex:1");
    world.release("codex:1");
    const handoff = world.room.state.handoff;
    expect(world.attachEvidence(1, first, "claude:1", WHOLE)).toEqual({ isLate: true });
    expect(world.room.state.handoff).toEqual(handoff);
    const nothing = { dirty: null, untracked: null, diffStat: null };
    const payload = { handoffSeq: first, evidence: { ...CHECKED_OUT, ...nothing } };
    expect(world.events.at(-1)).toMatchObject({ type: "evidence_attached", turnId: 1 });
    expect(world.events.at(-1)?.payload).toEqual(payload);
  });
});

describe("what git says", () => {
  it("counts if the same commit and branch are checked out", () => {
    expect(gitEvidence(CHECKED_OUT, FROM_GIT)).toEqual(FROM_GIT);
  });

  it.each<[why: string, found: HandoffEvidence | null]>([
    ["the next holder has committed", { ...FROM_GIT, head: "def" }],
    ["the next holder has changed the branch", { ...FROM_GIT, branch: "other" }],
    ["the repository is gone", null],
  ])("is not about the end of the turn if %s", (_, found) => {
    const nothing = { dirty: null, untracked: null, diffStat: null };
    expect(gitEvidence(CHECKED_OUT, found)).toEqual({ ...CHECKED_OUT, ...nothing });
  });
});

describe("the tree at the end of the last turn", () => {
  it("is known to be kept while its evidence is pending, and once that has come", () => {
    const world = afterOneTurn();
    expect(isLastEndKept(world.room.state)).toBe(true);
    world.attachEvidence(1, seqOfHandoff(world), "claude:1", WHOLE);
    expect(isLastEndKept(world.room.state)).toBe(true);
  });

  it("is not, if the evidence came without a tree", () => {
    const world = afterOneTurn();
    world.attachEvidence(1, seqOfHandoff(world), "claude:1", FROM_GIT);
    expect(isLastEndKept(world.room.state)).toBe(false);
  });

  it("is not known, if the stick was reserved for another agent before the evidence came", () => {
    const world = afterOneTurn();
    world.cancelWait("codex:1");
    world.attachEvidence(1, seqOfHandoff(world), "claude:1", WHOLE);
    expect(evidenceNow(world)).toEqual(WHOLE);
    expect(isLastEndKept(world.room.state)).toBe(false);
  });

  it("is not, if a later turn has ended without one before the evidence came", () => {
    const world = afterOneTurn();
    world.wait("codex:1");
    world.giveUp("codex:1");
    expect(isLastEndKept(world.room.state)).toBe(false);
    world.attachEvidence(1, seqOfHandoff(world), "claude:1", WHOLE);
    expect(isLastEndKept(world.room.state)).toBe(false);
  });
});
