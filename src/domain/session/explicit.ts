/**
 * A name that the caller gave itself. Where no session is detected, anybody may use any name: scripts, tests
 * and people. Inside a detected session another live one's name is refused, because the evidence about who is
 * calling is stronger than its word. A name that this very session took before is its own.
 */
import { type ProcessRef, processKey } from "../process.ts";
import { type Refusal, refuse } from "../refusal.ts";
import type { GivenName } from "./evidence.ts";
import type { Identity } from "./identity.ts";
import type { Clues, Verdict } from "./strategies.ts";

export function fromGivenName(clues: Clues, detected: Identity | null): Verdict | { readonly refusal: Refusal } {
  const { evidence, finding } = clues;
  const { named } = evidence;
  if (!named) return { abstains: "no name was given" };
  if (detected && isSame(named, detected)) {
    return { identity: detected, reason: `${named.source} names this very session` };
  }
  if (detected && named.live && !isOwn(named, detected)) return { refusal: notYours(named, detected) };
  return {
    identity: {
      agentId: named.agentId,
      harness: named.agentId.split(":")[0] || "agent",
      sessionId: detected?.sessionId ?? null,
      idSource: "explicit",
      verified: true,
      isPerson: finding.kind === "none" && evidence.terminal.isTty,
      process: evidence.namedProcess ?? detected?.process ?? null,
      tmuxPane: detected ? detected.tmuxPane : evidence.terminal.tmuxPane,
      formerId: null,
    },
    reason: `${named.source} says so`,
  };
}

function isSame(named: GivenName, detected: Identity): boolean {
  return named.agentId === detected.agentId || named.agentId === detected.formerId;
}

function isOwn(named: GivenName, { sessionId, process }: Identity): boolean {
  if (sessionId !== null && named.sessionIds.includes(sessionId)) return true;
  return process !== null && named.processes.some((known) => isSameProcess(known, process));
}

function isSameProcess(a: ProcessRef, b: ProcessRef): boolean {
  return processKey(a) === processKey(b);
}

function notYours(named: GivenName, detected: Identity): Refusal {
  return refuse(
    "not_authorized",
    `This is the session ${detected.agentId}, and ${named.agentId} is another live one.`,
    `Go on without ${named.source}: you are known as ${detected.agentId}.`,
    { agent_id: detected.agentId, named_agent_id: named.agentId, source: named.source },
  );
}
