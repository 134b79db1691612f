/** What a claim must know of the world: where transcripts lie, and who lives already under the claimed name. */
import { processKey } from "../../domain/process.ts";
import type { ClaimDeps } from "../claim-session.ts";
import type { Deps } from "../deps.ts";
import { lookUpAgent } from "../look-up-agent.ts";
import { transcriptFinder } from "./find-transcript.ts";

export function claimChecks(deps: Deps, cwd: string): Pick<ClaimDeps, "findTranscript" | "livesElsewhere"> {
  return {
    findTranscript: transcriptFinder(deps, cwd),
    async livesElsewhere(agentId, claiming) {
      const { live, processes } = await lookUpAgent(deps, agentId);
      const others = processes.filter((process) => processKey(process) !== processKey(claiming));
      if (processes.length > 0) return others.some((process) => deps.probe.verdict(process) === "alive");
      return live;
    },
  };
}
