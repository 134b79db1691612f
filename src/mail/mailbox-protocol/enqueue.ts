/** Putting a message into a mailbox. Its event goes into the room of the workspace that the mailbox was opened for. */
import type { AgentId, RoomId } from "../../core/ids.ts";
import type { Refusal } from "../../core/refusal.ts";
import { commitKnowing } from "../../engine/commit.ts";
import type { Deps } from "../../engine/deps.ts";
import { everyWaiter } from "../../engine/evidence.ts";
import type { Place } from "../../engine/ports/workspace.ts";
import { roomTarget } from "../../room/join-path.ts";
import { begin } from "../../room/rules/change.ts";
import { roomNotFound } from "../../room/rules/refusals.ts";
import { raiseFlagsIn } from "../../session/hooked-sessions.ts";
import { type Enqueued, enqueueMessage } from "../rules/enqueue.ts";
import type { Post, SendMessage } from "../rules/send.ts";
import { mailboxCaller } from "./caller.ts";

export interface EnqueueInput {
  readonly msgId: string;
  readonly from: AgentId;
  readonly to: AgentId;
  readonly payload: string;
  /** Without it, now. */
  readonly createdAtSecs: number | null;
}

/** The room that covers the place, made if there is none. Nobody becomes a member. */
export async function mailboxRoom(deps: Deps, place: Place): Promise<RoomId> {
  const found = await deps.store.change(roomTarget(deps, place, false), ({ room }) => ({
    change: begin(room),
    answer: true,
  }));
  return (found as NonNullable<typeof found>).before.id;
}

export async function enqueue(deps: Deps, roomId: RoomId, input: EnqueueInput): Promise<Enqueued | Refusal> {
  // What was sent under a former name counts as sent under the present one.
  const caller = mailboxCaller(await deps.store.resolveAlias(input.from));
  const post = { sender: caller.agentId, to: input.to, msgId: input.msgId, cites: [], asks: false };
  const changed = await commitKnowing(deps, caller, { roomId, post }, everyWaiter([]), (loaded, given) => {
    const command = commandOf(input, Math.floor(given.moment.wallMs / 1000));
    const posted = loaded.post as Post & { readonly to: AgentId };
    return enqueueMessage(loaded.room, given, posted, command);
  });
  if (!changed) return roomNotFound(roomId);
  await raiseFlagsIn(deps, changed.before.project, [input.to]);
  return changed.decision.answer;
}

function commandOf({ msgId, payload, createdAtSecs }: EnqueueInput, nowSecs: number): SendMessage {
  return {
    body: payload,
    elsewhere: [],
    deliveryHint: "normal",
    kind: null,
    replyTo: null,
    sourceMessageId: null,
    // The protocol goes by the id alone, so there is nothing to compare later.
    msgId: { id: msgId, digest: "" },
    createdAtSecs: createdAtSecs ?? nowSecs,
    ask: null,
  };
}
