/** A joined room, over the use cases. */
import { LIMITS } from "../../core/limits.ts";
import { DEFAULT_POLICY } from "../../core/policy.ts";
import { isRefusal } from "../../core/refusal.ts";
import type { Asked } from "../../mail/ask-peer.ts";
import type { Joined } from "../../room/join-path.ts";
import type { EventView } from "../../room/rules/event-view.ts";
import type { TakeoverAvailable } from "../../stick/rules/answers.ts";
import { holderLostText } from "../../stick/rules/turn-end-text.ts";
import type { AskInput, FollowInput, HeldTurn, JoinedRoom, WaitInput } from "./api.ts";
import type { Client } from "./client.ts";
import { TalkingStickError } from "./error.ts";
import { KeptTurn } from "./turn.ts";

export function joinedRoom(client: Client, { roomId, canonicalPath, project, handle, policy }: Joined): JoinedRoom {
  const { stick } = client;
  return {
    id: roomId,
    path: canonicalPath,
    project,
    handle,
    policy: { ...DEFAULT_POLICY, ...policy },
    waitForTurn: (options) => waitForTurn(client, roomId, options),
    takeOver: async ({ reason }) => {
      const { room } = await client.call(() => stick.getRoomState({ roomId }));
      return client.call(async () => {
        const taken = await stick.takeoverStick({ roomId, expectedTurnId: room.turnId, reason });
        return isRefusal(taken) ? taken : new KeptTurn(client, roomId, { ...taken, fromAgentId: null });
      });
    },
    state: () => client.call(() => stick.getRoomState({ roomId })),
    send: (message) => client.call(() => stick.sendMessage({ roomId, ...message })),
    ask: (question) => askIn(client, { roomId, ...question }),
    notes: {
      add: (body, options = {}) => client.call(() => stick.addNote({ roomId, body, ...options })),
      list: (options = {}) => client.call(() => stick.listNotes({ roomId, ...options })),
      resolve: (noteId) => done(client.call(() => stick.resolveNote({ roomId, noteId }))),
    },
    events: {
      list: (options = {}) => client.call(() => stick.getRoomEvents({ roomId, ...options })),
      follow: (options) => eventsOf(client, roomId, options),
    },
    kick: (targetAgentId, options = {}) =>
      done(client.call(() => stick.kickMember({ roomId, targetAgentId, ...options }))),
    leave: () => done(client.call(() => stick.leaveRoom({ roomId }))),
  };
}

async function done(work: Promise<unknown>): Promise<void> {
  await work;
}

/** Without a room, the question goes out from that of the directory. The reply counts as read with the answer. */
export function askIn(
  client: Client,
  { signal, ...question }: AskInput & { readonly roomId?: string },
): Promise<Asked> {
  return client.waitingCall(
    signal,
    async (until) => {
      const asked = await client.stick.askPeer({ ...question, signal: until });
      if (!("answer" in asked)) return asked;
      await asked.confirm();
      return asked.answer;
    },
    ({ reply, timedOut }) => reply !== null || timedOut,
  );
}

/** Mail does not end this wait: a program that wants its mail takes it by `messages`. */
async function waitForTurn(
  client: Client,
  roomId: Joined["roomId"],
  { timeoutMs, signal }: WaitInput = {},
): Promise<HeldTurn | null> {
  const limit = timeoutMs === undefined ? {} : { maxWaitMs: timeoutMs };
  const answer = await client.waitingCall(
    signal,
    async (until) => {
      const waited = await client.stick.waitForTurn({ roomId, wakeOnMessage: false, signal: until, ...limit });
      if (isRefusal(waited) || waited.status !== "your_turn") return waited;
      // Kept before the call is over, so that a participant that closes meanwhile gives the turn up.
      return { status: waited.status, turn: new KeptTurn(client, roomId, waited) };
    },
    ({ status }) => status !== "not_yet",
  );
  switch (answer.status) {
    case "your_turn":
      return answer.turn;
    case "not_yet":
      return null;
    case "takeover_available":
      throw takeoverAvailable(answer);
    case "closed":
      throw new TalkingStickError("room_closed", {
        message: "The room is closed.",
        next: ["Join it again, which opens it: ", { do: "join_path" }],
        facts: { room_id: roomId },
      });
  }
}

function takeoverAvailable(answer: TakeoverAvailable): TalkingStickError {
  const { currentOwner, turnId, reason } = answer;
  return new TalkingStickError("takeover_available", {
    message: `${currentOwner} holds turn ${turnId}, and ${holderLostText(answer)}.`,
    next: ["Take the stick: ", { do: "takeover_stick" }],
    facts: { current_owner: currentOwner, current_turn_id: turnId, reason },
  });
}

async function* eventsOf(
  client: Client,
  roomId: string,
  { afterEventSeq, eventTypes, target = "any", fromAgentId, signal }: FollowInput = {},
): AsyncGenerator<EventView, void, undefined> {
  const { stick } = client;
  const until = client.until(signal);
  const filter = { targetAgentId: target, ...(eventTypes && { eventTypes }), ...(fromAgentId && { fromAgentId }) };
  let cursor = afterEventSeq ?? (await client.step(() => stick.getRoomEvents({ roomId, limit: 1 }))).cursorEventSeq;
  while (!until.aborted) {
    const wanted = { roomId, afterEventSeq: cursor, maxWaitMs: LIMITS.waitMs, signal: until, ...filter };
    const { events, cursorEventSeq } = await client.step(() => stick.waitForEvents(wanted));
    for (const event of events) {
      if (until.aborted) return;
      yield event;
    }
    cursor = cursorEventSeq;
  }
}
