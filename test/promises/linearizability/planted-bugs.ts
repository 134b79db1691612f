/**
 * Bugs that a stick must not have. Each is a few words of the code under test changed; where one defence would
 * hide the loss of another, both are taken away. The first five are planted in every run, all of them in the long
 * campaign; the checker has to notice each one from the histories alone.
 */
import type { PlantedBug } from "./plant.ts";

const HOLDER = "stick/rules/holder.ts";
const WAIT = "stick/rules/wait.ts";
const STORE = "store/sqlite/store.ts";
const COMMIT = "engine/commit.ts";

const OWNER_AND_LEASE = "room.state.owner === given.caller.agentId && room.lease?.leaseId === token.leaseId";
const CHANGE = 'const changeRoom: Store["change"] = (target, decide, { expectsEvents = true } = {}) =>';
const READ_ROOM = 'const readRoom: Store["readRoom"] = (roomId) =>';
const CALL_STORE = "const changed = await deps.store.change(";
const IDLE_ONLY = 'if (status !== "idle" || !claims';

export const PLANTED_BUGS: readonly PlantedBug[] = [
  {
    name: "a release is not checked against the owner",
    edits: [{ file: HOLDER, find: OWNER_AND_LEASE, replace: "true" }],
  },
  {
    name: "a takeover needs no ground",
    edits: [
      {
        file: "stick/rules/takeover.ts",
        find: "if (ground !== null) return ground;",
        replace: 'if (ground !== null || room.state.owner !== null) return ground ?? "owner_timeout";',
      },
    ],
  },
  {
    name: "some commits are dropped, and the answer is given anyway",
    edits: [
      {
        file: "store/sqlite/transaction.ts",
        find: "connection.commit();",
        replace:
          "if (begin.includes('IMMEDIATE') && Math.random() < 0.05) connection.rollback(); else connection.commit();",
      },
    ],
  },
  {
    name: "reads may come from a cache",
    edits: [
      {
        file: STORE,
        find: READ_ROOM,
        replace: `let seen: { at: number; snapshot: ReturnType<Store["readRoom"]> } | undefined;
  ${READ_ROOM} {
    const at = performance.now();
    if (!seen || at - seen.at > 30) seen = { at, snapshot: readRoomNow(roomId) };
    return seen.snapshot;
  };
  ${READ_ROOM.replace("readRoom", "readRoomNow")}`,
      },
    ],
  },
  {
    name: "decisions are made on what was read before the transaction",
    edits: [
      {
        file: COMMIT,
        find: CALL_STORE,
        replace: `const old = "roomId" in target ? await deps.store.readRoom(target.roomId) : null;
  const asItWas = (loaded: Loaded): Loaded => {
    if (!old) return loaded;
    const { state, lease, claimDeadline, cooldown } = old.room;
    const { status, owner, reservation, turnId } = state;
    const room = { ...loaded.room, lease, claimDeadline, cooldown };
    return { ...loaded, room: { ...room, state: { ...room.state, status, owner, reservation, turnId } } };
  };
  ${CALL_STORE}`,
      },
      { file: COMMIT, find: "= decide(loaded, {", replace: "= decide(asItWas(loaded), {" },
    ],
  },
  {
    name: "the answer is given before the commit",
    edits: [
      {
        file: STORE,
        find: CHANGE,
        replace: `const changeRoom: Store["change"] = async (target, decide) => {
    const loaded = await schema.read(() => load(parts, target, loadRoom));
    if (!loaded || loaded.created) return changeNow(target, decide);
    const decision = decide(loaded);
    if (decision === null) return null;
    setTimeout(() => void changeNow(target, () => decision).catch(() => undefined), 2);
    return { moment: loaded.moment, created: false, before: loaded.room, decision, rang: false };
  };
  ${CHANGE.replace("changeRoom", "changeNow")}`,
      },
    ],
  },
  {
    name: "a reservation is not respected",
    edits: [{ file: WAIT, find: IDLE_ONLY, replace: 'if (status === "owned" || !claims' }],
  },
  {
    name: "a claim ignores that another agent holds",
    edits: [{ file: WAIT, find: IDLE_ONLY, replace: "if (!claims" }],
  },
  {
    name: "the lease is not compared",
    edits: [{ file: HOLDER, find: OWNER_AND_LEASE, replace: "room.state.owner === given.caller.agentId" }],
  },
  {
    name: "the turn is not compared",
    edits: [{ file: HOLDER, find: "if (token.expectedTurnId !== room.state.turnId)", replace: "if (token === null)" }],
  },
  {
    name: "a grant does not count as a turn",
    edits: [
      {
        file: "stick/rules/grant.ts",
        find: "turnId: change.room.state.turnId + 1",
        replace: "turnId: Math.max(1, change.room.state.turnId)",
      },
      {
        file: "room/rules/evolve.ts",
        find: "invariant(turnId === state.turnId + 1,",
        replace: "invariant(turnId > 0,",
      },
    ],
  },
  {
    name: "some handoffs are not kept",
    edits: [
      {
        file: "room/rules/evolve.ts",
        find: "  invariant(event.handoff !== null, `${event.type} without a handoff`);",
        replace: "  if (state.handoff && event.turnId % 5 === 0) return state;",
      },
    ],
  },
  {
    name: "events are not read in their order",
    edits: [
      {
        file: "store/sql/shared-store.ts",
        find: "AND event_seq > ${afterSeq} ORDER BY event_seq",
        replace: "AND event_seq > ${afterSeq} ORDER BY event_id",
      },
    ],
  },
  {
    name: "an agent gets the same lease every time",
    edits: [
      {
        file: "engine/evidence.ts",
        find: "leaseIdFrom(deps.random.id())",
        replace: "asLeaseId(`lease-of-${caller.agentId}`)",
      },
    ],
  },
  {
    name: "a pass goes to the wrong member",
    edits: [
      {
        file: "stick/rules/pass.ts",
        find: "{ from: given.caller.agentId, to: recipient,",
        replace:
          "{ from: given.caller.agentId, to: [...settled.room.state.members.keys()].find((id) => id !== given.caller.agentId && id !== recipient) ?? recipient,",
      },
    ],
  },
  {
    name: "leaving does not free the stick",
    edits: [
      {
        file: "room/rules/membership.ts",
        find: "const wasOwner = room.state.owner === agentId;",
        replace: "const wasOwner = room.state.turnId < 0;",
      },
    ],
  },
  {
    name: "a reservation is not honoured now and then",
    edits: [
      {
        file: WAIT,
        find: "if (reservation?.agentId === agentId) {",
        replace: "if (reservation?.agentId === agentId && room.state.turnId % 4 !== 1) {",
      },
    ],
  },
  {
    name: "silence alone counts as death",
    edits: [
      {
        file: "session/rules/aliveness.ts",
        find: 'this.process === "gone" && this.silentMs >=',
        replace: "this.silentMs >=",
      },
    ],
  },
  {
    name: "a lease expires early",
    edits: [
      {
        file: "stick/rules/grant.ts",
        find: "after(given.moment.instant, room.policy.leaseTtlMs)",
        replace: "after(given.moment.instant, room.policy.leaseTtlMs / 20)",
      },
    ],
  },
  {
    name: "a reservation expires early",
    edits: [
      {
        file: "room/rules/settle.ts",
        find: "after(given.moment.instant, room.policy.releaseClaimTtlMs)",
        replace: "after(given.moment.instant, room.policy.releaseClaimTtlMs / 10)",
      },
    ],
  },
  {
    name: "a refused note is written anyway",
    edits: [
      {
        file: "room/rules/note.ts",
        find: "if (refusal) return refusal;",
        replace: `if (refusal) {
      const written = { noteId: command.noteId, preview: preview(command.body), body: command.body, turnId: null };
      return { change: record(change, given, "note_added", written, { from: given.caller.agentId }), answer: refusal };
    }`,
      },
    ],
  },
  {
    name: "a change is made again although its first attempt was committed",
    edits: [
      {
        file: COMMIT,
        find: CALL_STORE,
        replace: `if (Math.random() < 0.05) {
    await deps.store.change(target, (loaded) => {
      const evidence = evidenceFor(loaded);
      return evidence && decide(loaded, givenFor(deps, caller, loaded.moment, evidence));
    });
  }
  ${CALL_STORE}`,
      },
    ],
  },
  {
    name: "a look mixes two states",
    edits: [
      {
        file: STORE,
        find: READ_ROOM,
        replace: `const readRoom: Store["readRoom"] = async (roomId) => {
    const early = await readRoomNow(roomId);
    await new Promise((resolve) => setTimeout(resolve, 3));
    const late = await readRoomNow(roomId);
    if (!early || !late) return late;
    const { handoff, members } = early.room.state;
    return { ...late, room: { ...late.room, state: { ...late.room.state, handoff, members } } };
  };
  ${READ_ROOM.replace("readRoom", "readRoomNow")}`,
      },
    ],
  },
];
