/** What a claim must know of the world: where transcripts lie, whose the session is, and who lives already under its name. */
import { processKey } from "../core/process.ts";
import type { Deps } from "../engine/deps.ts";
import { lookUpAgent } from "../engine/look-up-agent.ts";
import type { ClaimDeps } from "./claim-session.ts";
import { transcriptFinder } from "./find-transcript.ts";

export function claimChecks(deps: Deps, cwd: string): Omit<ClaimDeps, "claims" | "hash"> {
  return {
    findTranscript: transcriptFinder(deps, cwd),
    knownAs: (sessionId) => deps.store.findSessions(sessionId),
    async livesElsewhere(agentId, claiming) {
      const { live, processes } = await lookUpAgent(deps, agentId);
      const others = processes.filter((process) => processKey(process) !== processKey(claiming));
      if (others.some((process) => deps.probe.verdict(process) === "alive")) return "another_process";
      return live && processes.length === 0 ? "unseen" : null;
    },
  };
}
