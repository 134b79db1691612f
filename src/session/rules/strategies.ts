/**
 * One small function per kind of evidence: it hits, or abstains and says why. None of them looks at another
 * one's result, so that the explanation of a wrong identity can be read line by line.
 */

import { personAgentId, processAgentId, sessionAgentId } from "../../core/agent-id.ts";
import type { ProcessRef } from "../../core/process.ts";
import type { SessionEvidence } from "./evidence.ts";
import type { HarnessFinding } from "./harness-finding.ts";
import type { Identity, StrategyName } from "./identity.ts";
import { isInteractiveShell } from "./interactive-shell.ts";

export interface Clues {
  readonly evidence: SessionEvidence;
  readonly finding: HarnessFinding;
}

export type Verdict = { readonly identity: Identity; readonly reason: string } | { readonly abstains: string };

export type Strategy = (clues: Clues) => Verdict;

/** The session id that a harness gives its hooks. Its process counts only if it is the nearest one above. */
export const fromHook: Strategy = ({ evidence, finding }) => {
  const { hook } = evidence;
  if (!hook) return abstain("no hook is calling");
  const isNearest = finding.kind === "ancestor" && finding.harness.name === hook.harness;
  const near: HarnessFinding = isNearest ? finding : { kind: "ambiguous", names: [] };
  return session("hook", { evidence, finding: near }, hook.harness, hook.sessionId, "came with the hook");
};

/** A client that serves many sessions says with each call whose it is. */
export const fromCall: Strategy = ({ evidence, finding }) => {
  const { call, harnesses } = evidence;
  if (!call) return abstain("no MCP client is calling");
  const near = "harness" in finding ? finding.harness : null;
  const harness = near ?? harnesses.find(({ mcpClient }) => mcpClient !== undefined && mcpClient === call.clientName);
  if (!harness) return abstain("the client is not a known harness");
  const sessionId = harness.sessionIdInCall?.(call.meta) ?? null;
  if (sessionId === null) return abstain(`${harness.name} sends no session id with its calls`);
  return session("call", { evidence, finding }, harness.name, sessionId, "came with the call");
};

export const fromEnvironment: Strategy = ({ evidence, finding }) => {
  if (finding.kind === "none") return abstain("no harness has set its variables in the environment");
  if (finding.kind === "ambiguous") {
    return abstain(
      `${listed(finding.names)} have set variables in the environment, and no ancestor shows which one is nearer`,
    );
  }
  if (finding.kind === "inherited") {
    return abstain(`this terminal has inherited the variables of ${listed(finding.names)} but is not a child of it`);
  }
  const { harness, mark } = finding;
  if (!mark) return abstain(`${harness.name} has set no variables in the environment`);
  if (mark.sessionId === null) return abstain(`${harness.name} names no session id in the environment`);
  return session("environment", { evidence, finding }, harness.name, mark.sessionId, "names its session id there");
};

export const fromSessionFile: Strategy = ({ evidence, finding }) => {
  const anchored = anchoredHarness(finding);
  if ("abstains" in anchored) return anchored;
  const { ownSessionId } = evidence.records;
  if (ownSessionId === null) return abstain(`${anchored.harness} keeps no readable session file for its process`);
  return session("session_file", { evidence, finding }, anchored.harness, ownSessionId, "keeps it for its process");
};

export const fromSessionCard: Strategy = ({ evidence, finding }) => {
  const anchored = anchoredHarness(finding);
  if ("abstains" in anchored) return anchored;
  const { card } = evidence.records;
  if (!card) return abstain("no hook has left a card for the harness's process");
  if (card.harness !== anchored.harness) return abstain(`the card there belongs to ${card.harness}`);
  return session("session_card", { evidence, finding }, card.harness, card.sessionId, "was recorded by a hook");
};

/** A claim is over when a hook has told of another session since: before the claim, that would have forbidden it. */
export const fromStickyClaim: Strategy = ({ evidence, finding }) => {
  if (finding.kind !== "none") {
    const anchored = anchoredHarness(finding);
    if ("abstains" in anchored) return anchored;
  }
  const { claim, card } = evidence.records;
  if (!claim) return abstain("nobody has claimed a session here");
  if (card && card.harness === claim.harness && card.sessionId !== claim.sessionId) {
    return abstain(`session ${claim.sessionId} was claimed here, but ${card.sessionId} has begun since`);
  }
  return session("sticky_claim", { evidence, finding }, claim.harness, claim.sessionId, "was claimed here");
};

/** The provisional identity: a session of which only the process is known. */
export const fromAncestry: Strategy = ({ evidence, finding }) => {
  const anchored = anchoredHarness(finding);
  if ("abstains" in anchored) return anchored;
  const { harness, process } = anchored;
  return {
    identity: {
      agentId: processAgentId(harness, process, evidence.hash),
      harness,
      sessionId: null,
      idSource: "ancestry",
      verified: false,
      isPerson: false,
      process,
      tmuxPane: evidence.terminal.tmuxPane,
      formerId: null,
    },
    reason: `the nearest harness above is ${harness}, process ${process.pid}`,
  };
};

export const fromPerson: Strategy = ({ evidence, finding }) => {
  const { terminal } = evidence;
  if (finding.kind !== "none") return abstain("a harness runs here");
  if (!terminal.isTty) return abstain("there is no terminal");
  return {
    identity: {
      agentId: personAgentId(terminal, evidence.shared),
      harness: "human",
      sessionId: null,
      idSource: "person",
      verified: true,
      isPerson: true,
      process: evidence.namedProcess,
      tmuxPane: terminal.tmuxPane,
      formerId: null,
    },
    reason: "a terminal, and no harness above it",
  };
};

export const fromSessionLeader: Strategy = ({ evidence, finding }) => {
  const { isTty, tmuxPane } = evidence.terminal;
  if (finding.kind !== "none") return abstain("a harness runs here");
  if (isTty) return abstain("there is a terminal, so a person is calling");
  const { leader } = evidence.terminal;
  if (!leader) return abstain("the leader of the terminal session cannot be seen");
  if (!isInteractiveShell(leader)) return abstain("the leader of the terminal session is not an interactive shell");
  return {
    identity: {
      agentId: processAgentId("shell", leader.ref, evidence.hash),
      harness: "shell",
      sessionId: null,
      idSource: "session_leader",
      verified: false,
      isPerson: false,
      process: leader.ref,
      tmuxPane,
      formerId: null,
    },
    reason: `the interactive shell ${leader.ref.pid} leads the terminal session`,
  };
};

function session(
  idSource: StrategyName,
  { evidence, finding }: Clues,
  harness: string,
  sessionId: string,
  how: string,
): Verdict {
  const process = sessionProcess(finding);
  return {
    identity: {
      agentId: sessionAgentId(harness, sessionId, evidence.hash),
      harness,
      sessionId,
      idSource,
      verified: true,
      isPerson: false,
      process,
      // Where one process serves many sessions, its environment is that of its parent process.
      tmuxPane: process || finding.kind === "none" ? evidence.terminal.tmuxPane : null,
      formerId: process && processAgentId(harness, process, evidence.hash),
    },
    reason: `session ${sessionId} of ${harness} ${how}`,
  };
}

function sessionProcess(finding: HarnessFinding): ProcessRef | null {
  const anchored = anchoredHarness(finding);
  return "process" in anchored ? anchored.process : null;
}

/** The harness's process, if it is one session's alone. */
function anchoredHarness(
  finding: HarnessFinding,
): { readonly harness: string; readonly process: ProcessRef } | { readonly abstains: string } {
  if (finding.kind === "none") return abstain("there is no harness among the ancestors");
  if (finding.kind === "ancestor") {
    const { harness, process, role } = finding;
    if (role === "server") return abstain(`one process of ${harness.name} serves many sessions, so it proves nothing`);
    if (process) return { harness: harness.name, process: process.ref };
  }
  return abstain("the harness's process cannot be seen from here");
}

function abstain(reason: string): { readonly abstains: string } {
  return { abstains: reason };
}

function listed(names: readonly string[]): string {
  return names.join(" and ");
}
