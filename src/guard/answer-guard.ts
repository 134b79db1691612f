/** The guard's hook: a tool of a session is about to run. */
import { ofKnownSession, underPresentName } from "../hooks/rotated.ts";
import type { HookCall } from "../hooks/rules/hook.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import type { GuardDeps } from "./guard-deps.ts";
import { type JudgedRoom, judgeAttempt, turnDuring } from "./judge-attempt.ts";
import type { WriteAttempt } from "./rules/attempt.ts";
import { writingIn } from "./rules/verdict-text.ts";

/** Why the tool is refused; null if it may run. A subagent acts for its session. */
export async function answerGuard(
  deps: GuardDeps,
  teller: Caller,
  told: HookCall,
  attempt: WriteAttempt,
): Promise<string | null> {
  const { caller: known, call } = ofKnownSession(deps, teller, told);
  const caller = await underPresentName(deps, known, call);
  if (call.cwd === null) return null;
  // A session that another one has succeeded may go on elsewhere as an agent of its own, and then a pass is not its.
  const sessionId = caller.agentId === known.agentId ? told.sessionId : null;
  const judged = await judgeAttempt(deps, { caller, sessionId, cwd: call.cwd, attempt });
  if (judged.verdict === "refuse") return judged.text;
  const toTell = judged.rooms.find(({ verdict }) => verdict === "tell")?.room;
  if (toTell) {
    const about = writingIn(judged.rooms.map(({ room }) => room));
    const facts = { kind: "write", roomId: toTell.id, at: toTell.state.turnId } as const;
    // The next hook that can show something shows it.
    if (deps.advice.give(caller.agentId, about, facts)) deps.flags.raise([call.sessionId]);
  }
  if (attempt.kind === "edit") noteAttempt(deps, caller, call, attempt, judged.rooms);
  else for (const { room } of judged.rooms) deps.attempts.noteCommand(room.id, caller.agentId);
  return null;
}

/** The next hook of the session, or the next grant, looks whether the tool wrote. */
function noteAttempt(
  deps: GuardDeps,
  { agentId }: Caller,
  { cwd, sessionId }: HookCall,
  { tool, paths }: Extract<WriteAttempt, { kind: "edit" }>,
  rooms: readonly JudgedRoom[],
): void {
  for (const judged of rooms) {
    const { room } = judged;
    const duringTurn = turnDuring(judged);
    const absolute = paths.map((path) => deps.absolutePath(path, cwd ?? room.path));
    deps.attempts.note({ roomId: room.id, agentId, tool, duringTurn, paths: absolute });
  }
  if (rooms.length > 0) deps.flags.raise([sessionId]);
}
