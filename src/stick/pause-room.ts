/**
 * A person pauses the room and resumes it. Every member is told of both by a message. If another person was faster to
 * end the pause, or to begin the next one, what is over is told no more: no agent goes by a pause that is over. The agent
 * whose turn it is after a pause is woken if it must be.
 */
import { optional } from "../core/field.ts";
import { reasonField } from "../core/handoff.ts";
import type { AgentId, RoomId } from "../core/ids.ts";
import { isRefusal } from "../core/refusal.ts";
import { changeRoom, type Decide } from "../engine/commit.ts";
import type { Deps } from "../engine/deps.ts";
import { ignoringFaults } from "../engine/ignoring-faults.ts";
import { operation } from "../engine/operation.ts";
import { type Letter, postAndWake } from "../mail/post-message.ts";
import { ROOM_PAUSED, ROOM_RESUMED } from "../mail/rules/send.ts";
import type { Room } from "../room/rules/room.ts";
import { raiseFlagsIn } from "../session/hooked-sessions.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import { lookAround, wakeWith } from "./pass-stick.ts";
import { mustBeWoken } from "./rules/pass.ts";
import { pauseRoom as decidePause, resumeRoom as decideResume, type Paused, type ResumeAnswer } from "./rules/pause.ts";
import { quotedReason } from "./rules/turn-end-text.ts";

export const pauseRoom = operation({
  name: "pause_room",
  summary: "Pauses the room: no agent is given the stick until it is resumed; only for a person.",
  needs: { store: "change", caller: "known", room: "existing" },
  input: { reason: optional(reasonField("why; every agent is told")) },
  refusals: ["not_authorized", "room_closed"],
  mcp: "none",
  async run({ deps, caller, roomId }, { reason = null }) {
    const paused = await changeRoom(deps, caller, { roomId }, ({ room }, given) =>
      decidePause(room, given, { reason }),
    );
    if (isRefusal(paused)) return paused;
    const say = (path: string) => ({ body: pauseWords(path, paused), deliveryHint: "interrupt" }) as const;
    // A repeated pause tells nobody again.
    return { ...paused, told: paused.already ? 0 : await tellAll(deps, caller, roomId, ROOM_PAUSED, say) };
  },
});

export const resumeRoom = operation({
  name: "resume_room",
  summary: "Ends a pause: the stick goes on to the agent that is next; only for a person.",
  needs: { store: "change", caller: "known", room: "existing" },
  input: {},
  refusals: ["not_authorized", "room_closed"],
  mcp: "none",
  async run({ deps, caller, roomId }) {
    const known = await lookAround(deps, roomId, "");
    let wakes: AgentId | null = null;
    const decide: Decide<ResumeAnswer> = ({ room }, given) => {
      const knowing = { ...given, evidence: { ...given.evidence, ...known.reachability } };
      const decision = decideResume(room, knowing);
      const next = isRefusal(decision.answer) || decision.answer.already ? null : decision.answer.reservedFor;
      // By the room as it was in the pause: resuming prolongs waits whose calls are over.
      wakes = next !== null && mustBeWoken(room, knowing, next) ? next : null;
      return decision;
    };
    const resumed = await changeRoom(deps, caller, { roomId }, decide);
    if (isRefusal(resumed) || resumed.already) return resumed;
    await tellAll(deps, caller, roomId, ROOM_RESUMED, resumeLetter);
    const { reservedFor } = resumed;
    if (reservedFor !== null) await raiseFlagsIn(deps, known.project, [reservedFor]);
    const body = "The pause is over, and the stick is reserved for you.";
    if (wakes !== null) await wakeWith(deps, caller, { roomId, to: wakes, body });
    return resumed;
  },
});

/** How many members are told; null if they could not be. The room is paused, or goes on, even then. */
async function tellAll(
  deps: Deps,
  caller: Caller,
  roomId: RoomId,
  kind: string,
  say: (path: string) => Letter,
): Promise<number | null> {
  return ignoringFaults(async () => {
    const room = (await deps.store.readRoom(roomId))?.room;
    const isAlone = !room || [...room.state.members.keys()].every((agentId) => agentId === caller.agentId);
    if (isAlone) return 0;
    const onlyIf = ({ state }: Room) => (state.paused !== null) === (kind === ROOM_PAUSED);
    const sent = await postAndWake(deps, caller, roomId, say(room.path), { kind, ask: null, onlyIf });
    return isRefusal(sent) ? null : sent.deliveries.length;
  });
}

function resumeLetter(path: string): Letter {
  return { body: `I have resumed the room at ${path}: the pause is over.` };
}

/** What every agent reads: why, and what to do. */
function pauseWords(path: string, { reason }: Paused): string {
  const why = reason === null ? "" : ` Reason: ${quotedReason(reason)}.`;
  return [
    `I have paused the room at ${path}.${why}`,
    "If you hold the stick, stop writing and release it with a handoff now.",
    "Until I resume the room, no agent gets the stick. To go on then, wait for your turn: a wait keeps your place.",
  ].join(" ");
}
