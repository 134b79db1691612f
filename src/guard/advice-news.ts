/**
 * What the guard has to tell a session at its hook. The files say only which room and which turn or event: everything
 * that is said comes from the store now, and what the store does not know is not said.
 */
import type { AgentId } from "../core/ids.ts";
import type { Deps } from "../engine/deps.ts";
import { grantOf } from "../engine/newest-events.ts";
import type { Advice, AdviceFacts } from "../engine/ports/advice.ts";
import type { Store } from "../engine/ports/store.ts";
import type { HookDeps } from "../hooks/hook-deps.ts";
import type { Room } from "../room/rules/room.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import { factsAbout, isCaller, judgeRoom } from "./judge-attempt.ts";
import { toldHolder, toldWriter } from "./rules/foreign-write.ts";
import { plainName, verdictText } from "./rules/verdict-text.ts";

export function adviceFrom(advice: Advice): HookDeps["adviceNews"] {
  return async (deps, caller, { cwd }) => {
    const waiting = advice.waiting(caller.agentId);
    const texts: string[] = [];
    for (const facts of waiting) {
      const text = await TEXTS[facts.kind](deps, { caller, cwd, facts });
      if (text !== null) texts.push(text);
    }
    return { text: texts.join("\n"), remember: () => advice.shown(caller.agentId, waiting) };
  };
}

interface Asked {
  readonly caller: Caller;
  readonly cwd: string | null;
  readonly facts: AdviceFacts;
}

const TEXTS: Readonly<Record<AdviceFacts["kind"], (deps: Deps, asked: Asked) => Promise<string | null>>> = {
  async write(deps, { caller, cwd, facts }) {
    const snapshot = await deps.store.readRoom(facts.roomId);
    // In a later turn the agent is told again if it writes again.
    if (!snapshot || snapshot.room.state.turnId !== facts.at) return null;
    const judged = await judgeRoom(deps, caller, snapshot, "writes");
    if (judged === null || judged.verdict === "allow") return null;
    return verdictText("tell", "writes", await factsAbout(deps, judged, cwd ?? judged.room.path));
  },
  async foreign_write({ store }, { caller, facts }) {
    const snapshot = await store.readRoom(facts.roomId);
    const [event] = snapshot ? await store.readEvents(facts.roomId, facts.at - 1, 1) : [];
    if (!snapshot || event?.seq !== facts.at || event.type !== "foreign_write") return null;
    const { fromAgentId: writer, payload: write } = event;
    if (writer === null) return null;
    const { room } = snapshot;
    const grant = write.duringTurn === null ? null : await grantOf(store, room, write.duringTurn);
    const holder = grant?.fromAgentId ?? null;
    if (await isCaller(store, caller, writer)) return toldWriter(write, holder && (await nameIn(store, room, holder)));
    return (await isCaller(store, caller, holder)) ? toldHolder(write, await nameIn(store, room, writer)) : null;
  },
};

/** The event may name an agent by a former name, or by an id that no room knows, which may be made up. */
async function nameIn(store: Store, { presence }: Room, agentId: AgentId): Promise<string> {
  const present = (await store.readAliases([agentId])).get(agentId) ?? agentId;
  const member = presence.get(agentId) ?? presence.get(present);
  return member ? plainName(member.handle) : "an agent that is not a member";
}
