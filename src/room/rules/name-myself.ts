import { mayBeCalled } from "../../core/agent-id.ts";
import { asHandle, type Handle } from "../../core/ids.ts";
import { type Refusal, refuse } from "../../core/refusal.ts";
import { quoted } from "../../core/visible.ts";
import type { Given } from "../../session/rules/decision-input.ts";
import { type Change, type Decision, withRoom } from "./change.ts";
import { asMember } from "./join.ts";
import type { TakenHandle, TakenHandles } from "./membership.ts";
import { type Room, withEntry } from "./room.ts";

export interface Named {
  readonly status: "named";
  readonly handle: Handle;
}

/** A handle is typed by people and agents, so it is short, plain, and cannot be taken for an option. */
const HANDLE = /^[a-z0-9][a-z0-9-]{0,31}$/;

/** The caller takes a handle of its choice. It is the project's: no two live members there have the same. */
export function nameMyself(
  room: Room,
  given: Given,
  handles: TakenHandles,
  command: { readonly handle: string },
): Decision<Named | Refusal<"invalid_input" | "room_closed">> {
  return asMember(room, given, handles, (change) => {
    const { handle: name } = command;
    if (!HANDLE.test(name)) return notAHandle(name);
    if (!mayBeCalled(given.caller.agentId, name)) return standsForOthers(name);
    const handle = asHandle(name);
    const owner = handles().find((entry) => entry.handle === handle && entry.live);
    if (owner && owner.agentId !== given.caller.agentId && owner.agentId !== given.caller.formerId) {
      return taken(owner);
    }
    return { change: renamed(change, given, handle), answer: { status: "named", handle } };
  });
}

function renamed(change: Change, given: Given, handle: Handle): Change {
  const { agentId } = given.caller;
  const known = change.room.presence.get(agentId);
  if (!known || known.handle === handle) return change;
  return withRoom(change, { presence: withEntry(change.room.presence, agentId, { ...known, handle }) });
}

function notAHandle(name: string): Refusal<"invalid_input"> {
  return refuse(
    "invalid_input",
    `${quoted(name)} cannot be a handle.`,
    "Give 1 to 32 small letters, digits and hyphens, beginning with a letter or digit.",
    { field: "handle" },
  );
}

function standsForOthers(name: string): Refusal<"invalid_input"> {
  return refuse("invalid_input", `The word ${name} is reserved.`, "Choose another handle.", { field: "handle" });
}

function taken({ handle, agentId }: TakenHandle): Refusal<"invalid_input"> {
  return refuse("invalid_input", `The handle ${handle} belongs to ${agentId}.`, "Choose another handle.", {
    field: "handle",
    owner: agentId,
  });
}
