/** Callers without types give anything: each call answers with a refusal that says what to do, and never throws. */
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { isRefusal } from "../../src/core/refusal.ts";
import { accepted, actor, groundAt, openWorld } from "../support/sqlite-world.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

const JUNK: readonly unknown[] = [
  null,
  0,
  -1,
  1.5,
  Number.NaN,
  "",
  " ",
  "x\0y",
  "\ud800",
  "a".repeat(5000),
  {},
  [],
  true,
  1n,
  () => 1,
  "__proto__",
  "../..",
];

const HANDOFF = { status: "done", nextAction: "go on" };
const TOKEN = { leaseId: "x", expectedTurnId: 1 };

type Inputs = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Good inputs, of which one field at a time is spoiled. */
function inputsFor(roomId: string, contextPath: string): Inputs {
  const room = { roomId };
  return {
    listRooms: { contextPath },
    joinPath: { contextPath, forceNew: false },
    kickMember: { ...room, targetAgentId: "lib:9", force: false, reason: "r" },
    closeRoom: { ...room, operatorRequested: false },
    changePolicy: { ...room, changes: { hopsMax: 8 } },
    nameMyself: { ...room, handle: "zed" },
    getRoomState: room,
    waitForTurn: { ...room, maxWaitMs: 0, claim: true, wakeOnMessage: true },
    listen: { ...room, maxWaitMs: 0, afterEventSeq: 0 },
    heartbeat: { ...room, ...TOKEN },
    releaseStick: { ...room, ...TOKEN, handoff: HANDOFF },
    passStick: { ...room, ...TOKEN, toAgentId: "codex:bob", handoff: HANDOFF },
    requestStick: { ...room, why: "w", needs: "n" },
    sendMessage: { ...room, body: "b", to: "codex:bob", deliveryHint: "normal", wake: "off" },
    replyToMessage: { ...room, messageId: "m", body: "b" },
    askPeer: { ...room, to: "codex:bob", body: "q", timeoutMs: 0 },
    takeMessages: { limit: 1, ack: "manual", from: "codex:bob", maxBytes: 1 },
    receiveMessages: { limit: 1, maxWaitMs: 0, from: "codex:bob" },
    peekMessages: { limit: 1, afterDeliverySeq: 0, from: "codex:bob" },
    ackMessage: { messageId: "m", attempt: 1 },
    nackMessage: { messageId: "m", attempt: 1, reason: "r" },
    messageStatus: { messageId: "m" },
    listDeadLetters: { afterDeliverySeq: 0, limit: 1 },
    requeueDeadLetter: { messageId: "m" },
    takeoverStick: { ...room, expectedTurnId: 0, reason: "r", operatorRequested: false },
    setMyState: { ...room, purpose: "p", files: ["a"], blockedOn: "b" },
    reportActivity: { contextPath, activity: "busy" },
    listProjectSessions: { contextPath, compact: true },
    readSession: { contextPath, name: "x", mode: "auto" },
    addNote: { ...room, body: "b", turnId: 0 },
    resolveNote: { ...room, noteId: "n" },
    listNotes: { ...room, limit: 1, unresolvedOnly: true, beforeNoteId: "n" },
    getRoomEvents: { ...room, afterEventSeq: 0, limit: 1 },
    waitForEvents: { ...room, afterEventSeq: 0, eventTypes: ["claim"], targetAgentId: "self", maxWaitMs: 0 },
  };
}

async function openRoom() {
  const ground = groundAt(join(temporaryDirectory(), "ground"), {});
  const deps = await openWorld(ground);
  onTestFinished(() => deps.store.close());
  const [ann, bob] = [actor(deps, "claude:ann"), actor(deps, "codex:bob")];
  const { roomId } = accepted(await ann.joinPath({ contextPath: ground.tree }));
  await bob.joinPath({ contextPath: ground.tree });
  return { ann, roomId, tree: ground.tree };
}

type Call = (input: unknown) => Promise<unknown>;

/** What was thrown, or the refusal that does not say what to do. */
async function complaintAbout(call: Call, input: unknown): Promise<string | null> {
  try {
    const answer = await call(input);
    return !isRefusal(answer) || (answer.next !== "" && answer.message !== "") ? null : JSON.stringify(answer);
  } catch (error) {
    return String(error);
  }
}

describe.each(Object.keys(inputsFor("", "")))("%s", (name) => {
  test("takes any value for any field", async () => {
    const { ann, roomId, tree } = await openRoom();
    const call = (ann as unknown as Readonly<Record<string, Call>>)[name] as Call;
    const good = inputsFor(roomId, tree)[name] ?? {};
    const complaints: string[] = [];
    for (const field of Object.keys(good)) {
      // Null is as good as nothing where there is a default, and the longest wait is a default.
      const values = field === "maxWaitMs" || field === "timeoutMs" ? JUNK.slice(1) : JUNK;
      for (const value of values) {
        const complaint = await complaintAbout(call, { ...good, [field]: value });
        if (complaint !== null) complaints.push(`${field} = ${String(value)}: ${complaint}`);
      }
    }
    expect(complaints).toEqual([]);
  });

  test("takes no input at all, and things that are none", async () => {
    const { ann } = await openRoom();
    const call = (ann as unknown as Readonly<Record<string, Call>>)[name] as Call;
    const waits = name === "receiveMessages";
    for (const input of waits ? [] : [undefined, null, 5, "x"]) expect(await complaintAbout(call, input)).toBeNull();
  });
});
