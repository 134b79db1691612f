/**
 * What hooks tell a session about sticks: that one is reserved for it, and at the end of its turn that it still holds
 * one. Each is told once per turn of the stick; a holder is reminded again while others wait.
 */

import type { Moment } from "../core/time.ts";
import { lookAtRoom } from "../engine/evidence.ts";
import type { RoomAtMoment } from "../engine/liveness-evidence.ts";
import { alivenessIn } from "../room/rules/liveness.ts";
import type { Room } from "../room/rules/room.ts";
import { afterSleep } from "../room/rules/settle.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import { isReservedFor } from "../stick/rules/wait.ts";
import type { HookDeps, News } from "./hook-deps.ts";
import { reservedText, stillHeldText } from "./rules/brief.ts";

interface When {
  /** The turn with the model is about to end. */
  readonly atEnd: boolean;
  /** A holder may be reminded again while others wait. */
  readonly again: boolean;
}

/** `rooms`: those that the caller is a member of. */
export async function stickNews(
  deps: HookDeps,
  caller: Caller,
  { rooms, moment }: { readonly rooms: readonly Room[]; readonly moment: Moment },
  { atEnd, again }: When,
): Promise<News> {
  const news: { readonly text: string; readonly room: Room }[] = [];
  for (const stored of rooms) {
    const room = afterSleep(stored, moment);
    const text =
      reserved(deps, caller, room, moment) ?? (atEnd ? await held(deps, caller, { room, moment }, again) : null);
    if (text !== null) news.push({ text, room });
  }
  return {
    text: news.map(({ text }) => text).join("\n"),
    remember: () => {
      for (const { room } of news) deps.memory.rememberReminder(caller, room.id, room.state.turnId);
    },
  };
}

function wasTold({ memory }: HookDeps, caller: Caller, { id, state }: Room): boolean {
  return memory.recallReminder(caller, id) === state.turnId;
}

function reserved(deps: HookDeps, caller: Caller, room: Room, { instant }: Moment): string | null {
  if (!isReservedFor(room, caller, instant) || wasTold(deps, caller, room)) return null;
  return reservedText(room.path);
}

async function held(
  deps: HookDeps,
  caller: Caller,
  roomAtMoment: RoomAtMoment,
  again: boolean,
): Promise<string | null> {
  const { room } = roomAtMoment;
  const { owner, members, turnId, paused } = room.state;
  if (owner !== caller.agentId) return null;
  const given = await lookAtRoom(deps, roomAtMoment, { caller, about: [] });
  const waiting = [...members.keys()].filter((agentId) => alivenessIn(room, agentId, given).isWaiting).length;
  if (wasTold(deps, caller, room) && (waiting === 0 || !again)) return null;
  return stillHeldText(room.path, turnId, waiting, paused !== null);
}
