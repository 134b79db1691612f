/**
 * A session may be known by its process before its harness tells its id: an MCP server runs for it from its start. Mail
 * and facts under that provisional name move to its own name.
 */

import { changeRoom } from "../engine/commit.ts";
import type { Deps } from "../engine/deps.ts";
import { unread } from "../mail/rules/mailbox.ts";
import { asMember } from "../room/rules/join.ts";
import { noteSession } from "./note-session.ts";
import type { Caller } from "./rules/decision-input.ts";

export async function adoptProvisional(deps: Deps, caller: Caller, project: string): Promise<void> {
  const { agentId, formerId, sessionId } = caller;
  if (sessionId === null || formerId === null || formerId === agentId) return;
  const rows = await deps.store.readSessions(project);
  const former = rows.find((row) => row.agentId === formerId && row.sessionId === null);
  if (!former) return;
  const { rooms } = await deps.store.readRooms({ agentId: formerId });
  // In a room the two names are merged by the room itself, with its mail.
  for (const { id: roomId } of rooms) {
    await changeRoom(deps, caller, { roomId }, ({ room, handles }, given) =>
      asMember(room, given, handles, (change) => ({ change, answer: true })),
    );
  }
  if (rooms.length === 0) await deps.store.supersede(formerId, agentId);
  await noteSession(deps, caller, project, { servers: { started: former.servers } });
}

/** The same for a door that knows no project: if mail waits under the provisional name, it is the caller's. */
export async function adoptMail({ store }: Deps, { agentId, formerId, sessionId }: Caller): Promise<void> {
  if (sessionId === null || formerId === null || formerId === agentId) return;
  const { window } = await store.readMailbox(formerId, { kind: "messages", ids: [] });
  if (window.box.agentId === formerId && unread(window.box) > 0) await store.supersede(formerId, agentId);
}
