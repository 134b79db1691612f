/**
 * A name that the caller gave itself. Where no session is detected, scripts, tests and people may use any name.
 * Inside a detected session, even one known by its process alone, only the session's own names count. Evidence about
 * the caller is stronger than its word, and one session under two names would be two members. Another name is refused
 * if it was typed, or if it belongs to another session. Otherwise it is ignored: it comes from the shell that started
 * the harness, or from a server's configuration, and the caller cannot remove it. A command inside a harness never
 * gets a person's name.
 */

import { isPersonsName } from "../../core/agent-id.ts";
import { type Refusal, refuse } from "../../core/refusal.ts";
import type { GivenName } from "./evidence.ts";
import { type HarnessFinding, isOfHarness } from "./harness-finding.ts";
import type { Identity } from "./identity.ts";
import type { Clues, Verdict } from "./strategies.ts";

export function fromGivenName(
  clues: Clues,
  detected: Identity | null,
): Verdict | { readonly refusal: Refusal<"not_authorized"> } {
  const { evidence, finding } = clues;
  const { named } = evidence;
  if (!named) return { abstains: "no name was given" };
  if (detected) {
    if (isOwn(named, detected)) return { identity: detected, reason: `${named.source} names this very session` };
    if (named.typed || named.isSession) return { refusal: notYours(named, detected, finding) };
    return { abstains: `${named.source} names ${named.given}, but this is the session ${detected.agentId}` };
  }
  if (isPersonsName(named.agentId) && isOfHarness(finding)) return { refusal: noPerson(named) };
  return {
    identity: {
      agentId: named.agentId,
      harness: named.agentId.split(":")[0] || "agent",
      sessionId: null,
      idSource: "explicit",
      verified: true,
      isPerson: finding.kind === "none" && evidence.terminal.isTty,
      process: evidence.namedProcess,
      tmuxPane: evidence.terminal.tmuxPane,
      formerId: null,
    },
    reason: `${named.source} says so`,
  };
}

/** Its own name, its former name, and every alias of these. */
function isOwn({ given, agentId, callerIsNow }: GivenName, detected: Identity): boolean {
  const own = [detected.agentId, detected.formerId, callerIsNow];
  return own.includes(given) || own.includes(agentId);
}

function notYours(
  { source, given }: GivenName,
  { agentId, idSource }: Identity,
  { kind }: HarnessFinding,
): Refusal<"not_authorized"> {
  const orForget = idSource === "sticky_claim" ? " That was claimed here; `tt claim --forget` undoes it." : "";
  // In a container nobody can tell a terminal that merely inherited them from a shell of the harness.
  const orUnset = kind === "environment" ? " If that is wrong, unset the variables of its harness here." : "";
  return refuse(
    "not_authorized",
    `This is the session ${agentId}, and ${given} is not one of its names.`,
    [
      {
        shell: `Go on without ${source}: you are known as ${agentId}.`,
        server: `Ask the person you work for to remove ${given} from the configuration of this server: you are ${agentId}.`,
      },
      `${orForget}${orUnset}`,
    ],
    { agent_id: agentId, named_agent_id: given, source },
  );
}

function noPerson({ source, given }: GivenName): Refusal<"not_authorized"> {
  return refuse(
    "not_authorized",
    `A harness runs this command, so its caller is not ${given}.`,
    [
      {
        shell: `Use a name that is not a person's, or go on without ${source}.`,
        server: `Ask the person you work for to remove ${given} from the configuration of this server.`,
      },
    ],
    { named_agent_id: given, source },
  );
}
